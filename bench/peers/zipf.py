"""Keys with a Zipf distribution, as the benchmark hot-set of `thermocline bench` has them (crates/tools/src/bench/zipf.rs):
ranks by rejection-inversion, and a shuffle of them over the table. The draws are others, their distribution is the same.
"""

import math
import random

FACTORS = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D]


class Zipf:
    """Draws ranks, from 0: rank r in proportion to 1 / (r + 1) ** theta."""

    def __init__(self, ranks, theta, seed):
        self.ranks, self.theta, self.random = ranks, theta, random.Random(seed).random
        self.first = self.integral(1.5) - 1
        self.last = self.integral(ranks + 0.5)
        self.sure = 2 - self.inverse(self.integral(2.5) - 2 ** -theta)

    def integral(self, x):
        log = math.log(x)
        y = (1 - self.theta) * log
        return log * (math.expm1(y) / y if abs(y) > 1e-8 else 1 + y / 2)

    def inverse(self, integral):
        y = max((1 - self.theta) * integral, -1)
        if y == -1:
            return 0.0
        return math.exp(integral * (math.log1p(y) / y if abs(y) > 1e-8 else 1 - y / 2))

    def draw(self):
        while True:
            at = self.last + self.random() * (self.first - self.last)
            drawn = self.inverse(at)
            rank = min(max(math.floor(drawn + 0.5), 1), self.ranks)
            if rank - drawn <= self.sure or at >= self.integral(rank + 0.5) - rank ** -self.theta:
                return rank - 1


class Shuffle:
    """An order of the numbers below a limit, in which neighbours lie anywhere."""

    def __init__(self, count, seed):
        bits = (count - 1).bit_length()
        self.count, self.mask, self.shift = count, (1 << bits) - 1, (bits + 1) // 2
        self.seed = seed * 0x27D4EB2F & 0xFFFFFFFF

    def at(self, place):
        number = place
        while True:
            for factor in FACTORS:
                number = (number + self.seed) * factor & self.mask
                number ^= number >> self.shift
            if number < self.count:
                return number
