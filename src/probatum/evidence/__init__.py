"""Reading evidence: verify, replay, inspect, compare, list; nothing here runs or judges anything.

Every function takes a store and what else it needs as arguments and returns
frozen values. Nothing prints, nothing knows the clock or the home folder, and
no module imports engine, providers or spec.
"""
