PREFIX : <http://example.org/>
DELETE DATA { _:a :p 1 }
