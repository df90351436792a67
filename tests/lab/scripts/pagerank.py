"""PageRank by two other programs: networkx, and a dense linear system.

    pagerank.py make SITES LINKS SEED > EDGES     every site links to another one, so that both formulas are one
    pagerank.py compare EDGES RANKS               RANKS as `diglot-lab web ranks EDGES` gives them

Needs networkx and numpy.
"""
import random
import sys


def make(sites, links, seed):
    noise = random.Random(seed)
    edges = {(a, (a + 1 + noise.randrange(sites - 1)) % sites) for a in range(sites)}
    while len(edges) < links:
        a, b = noise.randrange(sites), int(sites * noise.random() ** 2)
        if a != b:
            edges.add((a, b))
    for a, b in sorted(edges):
        print(a, b)


def compare(edges, ranks):
    import networkx
    import numpy

    edges = [tuple(map(int, line.split())) for line in open(edges)]
    ours = {int(a): float(b) for a, b in (line.split() for line in open(ranks))}
    count = len(ours)
    graph = networkx.DiGraph(edges)
    theirs = networkx.pagerank(graph, alpha=0.85, tol=1e-15, max_iter=1000)
    print("networkx: largest difference", max(abs(ours[site] - theirs[site]) for site in ours))
    if count <= 3000:
        matrix = numpy.eye(count)
        for a, b in edges:
            matrix[b, a] -= 0.85 / graph.out_degree(a)
        solved = numpy.linalg.solve(matrix, numpy.full(count, 0.15 / count))
        print("linear system: largest difference", max(abs(ours[site] - solved[site]) for site in ours))


if sys.argv[1] == "make":
    make(*map(int, sys.argv[2:5]))
else:
    compare(sys.argv[2], sys.argv[3])
