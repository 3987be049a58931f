SELECT a."name", `b`, [c] FROM t AS a WHERE x = 'it''s' AND y IN (@results_0.x, ?, $1, :n) -- end
