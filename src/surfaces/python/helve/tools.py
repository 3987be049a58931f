"""The functions of tools belong to this module by name. They are made of the registry when a session is opened:
``session.tools``. What type checkers and editors need to know of them is in tools.pyi.
"""
