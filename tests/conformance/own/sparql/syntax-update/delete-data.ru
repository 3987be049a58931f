PREFIX : <http://example.org/>
DELETE DATA { :a :p 1 . GRAPH :g { :a :p 2 . } }
