"""Random affine graphs run equal to their sequential meaning on several ranks (see _affine.py).

The ranks are threads of a process, over a transport that delays messages and changes their order. All
arrays are block-cyclic, and tasks are where their tiles are, or where the transposed ones are: then
they take and store tiles of other ranks.
"""
import random
import sys

sys.dont_write_bytecode = True
from _affine import check, check_all, tile

GRIDS = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2), (4, 1), (2, 3), (1, 6))


def check_one(seed):
    rng = random.Random("grid %d" % seed)

    def placed(c):
        place = tile(c.names())
        return place[::-1] if rng.random() < .4 else place
    return check(seed, "affine_ranks_%d" % seed, placed, grids=rng.sample(GRIDS, 4))


check_all(check_one, 32)
