PREFIX : <http://example.org/>
INSERT DATA { :a :p 1 } ;; INSERT DATA { :a :p 2 }
