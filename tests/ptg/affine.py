"""Random affine graphs run equal to their sequential meaning, under every scheduler (see _affine.py)."""
import sys

sys.dont_write_bytecode = True
from _affine import check, check_all
from _space import expr

check_all(lambda seed: check(seed, "affine_%d" % seed, lambda c: (expr(0), expr(0))), 16)
