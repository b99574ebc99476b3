"""Does a driver do what the interface asks of it, also where nobody looks?

A real conductor runs in this process, without its periodic tasks: the tour asks it for every
operation through RPC and does the status polls itself, so that it knows what happens when. The
driver's class is replaced by a subclass that hands each call to a witness.

arguments    what the command line asks for
examination  puts the parts together: house, tour, checks, report
tour         one cluster through every operation, then a second life, then a crowd
requests     the operations, as magnum-api asks for them
witness      stands between conductor and driver and writes down each call
watching     the fence that tells what a call saves, and can refuse it
rows         the tables at a moment, and what differs between two
residue      what of the process is in use: descriptors, threads, processes, files
hand         a thread that may be left hanging
record       all that was seen; the checks read nothing else
checks       one question each, asked of the record
report       verdicts and advice, for people and for machines
"""
