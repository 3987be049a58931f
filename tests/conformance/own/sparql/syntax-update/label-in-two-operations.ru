PREFIX : <http://example.org/>
INSERT DATA { _:b :p 1 } ; INSERT DATA { _:b :p 2 }
