"""Expressions and spaces of random graphs: text for the compiler, and values for tests that look at
every instance by themselves. It shares nothing with the compiler.
"""
import re


def quotient(a, b):
    """Division as in C."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class Expr:
    def __init__(self, text, value):
        self.text, self.value = text, value

    def binary(self, op, other, function):
        other = expr(other)
        return Expr(f"({self.text} {op} {other.text})",
                    lambda e: function(self.value(e), other.value(e)))

    def __add__(self, other):
        return self.binary("+", other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.binary("-", other, lambda a, b: a - b)

    def __mul__(self, other):
        return self.binary("*", other, lambda a, b: a * b)

    def div(self, other):
        return self.binary("/", other, quotient)

    def mod(self, other):
        return self.binary("%", other, lambda a, b: a - quotient(a, b) * b)

    def le(self, other):
        return self.binary("<=", other, lambda a, b: int(a <= b))

    def eq(self, other):
        return self.binary("==", other, lambda a, b: int(a == b))

    def both(self, other):
        if self.text == "1" or expr(other).text == "1":
            return expr(other) if self.text == "1" else self
        return self.binary("&&", other, lambda a, b: int(bool(a and b)))

    def negated(self):
        return Expr(f"!{self.text}", lambda e: int(not self.value(e)))


def expr(x):
    return x if isinstance(x, Expr) else Expr(str(x), lambda e: x)


def var(name):
    return Expr(name, lambda e: e[name])


def replace(e, names):
    """The expression with names replaced, all at once."""
    if not names:
        return e
    text = re.sub(r"\b(%s)\b" % "|".join(names), lambda m: f"({names[m[1]].text})", e.text)
    return Expr(text, lambda env: e.value({**env, **{k: v.value(env) for k, v in names.items()}}))


N = var("N")


class Space:
    """Parameters: (name, low, high, step) each, bounds of one may use the one before."""

    def __init__(self, params):
        self.params = params

    @classmethod
    def random(cls, rng, dims):
        params = []
        for i in range(rng.choice(dims)):
            outer = var(params[-1][0]) if i else expr(0)
            low = outer if rng.random() < .5 else expr(rng.choice((0, 0, 1, -1)))
            high = rng.choice((N - 1, N - 1, N, N + 1, expr(4), outer + 2))
            step = rng.choice((1, 1, 1, 2))
            params.append((f"p{i}", low, high, step))
        return cls(params)

    def names(self):
        return [var(p[0]) for p in self.params]

    def inside(self, args):
        """The condition that the arguments are in the space."""
        names = {}
        condition = expr(1)
        for (name, low, high, step), arg in zip(self.params, args):
            low, high = replace(low, names), replace(high, names)
            condition = condition.both(low.le(arg)).both(arg.le(high))
            if step > 1:
                condition = condition.both((arg - low).mod(step).eq(0))
            names[name] = arg
        return condition

    def instances(self, n):
        def walk(i, env):
            if i == len(self.params):
                yield tuple(env[p[0]] for p in self.params)
                return
            name, low, high, step = self.params[i]
            for v in range(low.value(env), high.value(env) + 1, step):
                yield from walk(i + 1, {**env, name: v})
        yield from walk(0, {"N": n})

    def env(self, n, args):
        return {"N": n, **{p[0]: a for p, a in zip(self.params, args)}}

    def text(self):
        return "".join(f"  {name} = {low.text} .. {high.text} .. {step}\n"
                       for name, low, high, step in self.params)
