"""helve.context: the text for a prompt, and what it is made of."""

import pickle
import tempfile
import unittest
from pathlib import Path

from helve import errors
from helve.contexts import Context, context
from helve.memory import Memory


class Contexts(unittest.TestCase):
    def test_the_text_is_a_string_with_a_breakdown(self):
        text = context("sample:", task="Which moons does Mars have?")
        self.assertIsInstance(text, str)
        self.assertTrue(text.startswith("# L0 Source\n"))
        self.assertEqual(text.breakdown.chars, len(text))
        self.assertEqual([layer.layer for layer in text.breakdown.layers], ["L0", "L1", "L3"])

    def test_layers_and_budgets(self):
        self.assertEqual(len(context("sample:", layers="L0").breakdown.layers), 1)
        two = context("sample:", layers=["L0", "L1"], budget={"l0": 300, "l1": 200})
        self.assertEqual([layer.budget for layer in two.breakdown.layers], [300, 200])
        self.assertLess(len(context("sample:", budget=800)), 801)

    def test_a_guide_and_lessons(self):
        with tempfile.TemporaryDirectory() as folder:
            bank = Path(folder) / "bank.db"
            Memory(bank).add("Moons go round bodies", "For questions about moons.", "Use sol:orbits.",
                             src="success")
            guide = Path(folder) / "guide.md"
            guide.write_text("# Mine\nAsk about moons politely.\n")
            text = context("sample:", task="moons", bank=bank, guide=guide)
        self.assertIn("Ask about moons politely.", text)
        self.assertIn("Use sol:orbits.", text)
        self.assertEqual(text.breakdown.memory_items_injected, 1)

    def test_mistakes(self):
        with self.assertRaises(errors.HelveError):
            context("/nowhere.ttl")
        with self.assertRaises(errors.InvalidInput):
            context("sample:", layers="L9")
        with self.assertRaisesRegex(TypeError, "did you mean 'constraints'"):
            context("sample:", constraint="x")

    def test_it_can_be_copied(self):
        text = Context("words", {"chars": 5})
        copy = pickle.loads(pickle.dumps(text))
        self.assertEqual((copy, copy.breakdown.chars), ("words", 5))


if __name__ == "__main__":
    unittest.main()
