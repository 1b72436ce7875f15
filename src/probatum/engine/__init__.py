"""The verbs of a run: materialize, execute, judge, assemble, and re-derive.

``pipeline`` strings them together and is the only module that a caller needs;
``rederive`` does the same work again to check evidence, without executing
anything.
"""
