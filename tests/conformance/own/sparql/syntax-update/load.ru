PREFIX : <http://example.org/>
LOAD <x:y> ; LOAD SILENT <x:y> INTO GRAPH :g ;
