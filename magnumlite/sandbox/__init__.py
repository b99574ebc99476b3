"""A conductor in one process, a scenario that is played to it, and a screen that shows it.

house     the conductor, its periodic tasks and a database, with no services around
ledger    the CADF events that were sent
caller    who asks
scenario  create, resize, upgrade, delete, and how each should end
view      what the database shows at a moment
screen    a live screen for terminals, plain lines for everything else
play      puts them together
"""
