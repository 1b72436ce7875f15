"""The verbs of a run: materialize, execute, judge, assemble, and re-derive.

``pipeline`` strings them together; ``sources`` gives back what a run that was
begun is to be compiled from; ``rederive`` does the same work again to check
evidence, without executing anything. A caller needs no other module.
"""
