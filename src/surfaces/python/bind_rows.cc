// Rows of handles as tuples of Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "helve/typed.h"
#include "surfaces/python/bindings.h"
#include "surfaces/python/gil.h"
#include "surfaces/python/interrupt.h"

namespace helve::python {

namespace py = pybind11;

namespace {

PyObject* checked(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return made;
}

// A new reference.
struct CellMaker {
  PyObject* operator()(std::monostate /*unbound*/) const {
    Py_INCREF(Py_None);
    return Py_None;
  }
  PyObject* operator()(bool value) const { return checked(PyBool_FromLong(value ? 1 : 0)); }
  PyObject* operator()(std::int64_t value) const { return checked(PyLong_FromLongLong(value)); }
  PyObject* operator()(double value) const { return checked(PyFloat_FromDouble(value)); }
  PyObject* operator()(const api::WholeNumber& value) const {
    constexpr int kDecimal = 10;
    return checked(PyLong_FromString(value.digits.c_str(), nullptr, kDecimal));
  }
  PyObject* operator()(const std::string& value) const {
    return checked(
        PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
  }
};

py::list rows_of(const api::PlainPage& page) {
  const std::size_t width = page.columns.size();
  py::list rows(page.rows);
  std::size_t cell = 0;
  for (std::size_t row = 0; row < page.rows; ++row) {
    py::tuple cells(width);
    for (std::size_t i = 0; i < width; ++i) {
      PyTuple_SET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(i),
                       std::visit(CellMaker(), page.cells[cell++]));
    }
    PyList_SET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(row), cells.release().ptr());
  }
  return rows;
}

py::list rows_of(const api::Page& page) {
  const py::object make_term = py::module_::import("helve.terms").attr("Term");
  constexpr const char* kKinds[] = {"iri", "bnode", "literal"};
  py::list rows(page.rows.size());
  for (std::size_t row = 0; row < page.rows.size(); ++row) {
    py::tuple cells(page.rows[row].size());
    for (std::size_t i = 0; i < page.rows[row].size(); ++i) {
      const api::Cell& cell = page.rows[row][i];
      cells[i] = !cell ? py::object(py::none())
                       : make_term(kKinds[static_cast<int>(cell->kind)], text_of(cell->value),
                                   text_of(cell->datatype), text_of(cell->language));
    }
    rows[row] = std::move(cells);
  }
  return rows;
}

// (columns, rows, next offset or None, rows that are stored, warnings)
template <typename AnyPage>
py::tuple page_of(const AnyPage& page) {
  return py::make_tuple(page.columns, rows_of(page), page.next_offset, page.rows_stored,
                        page.warnings);
}

template <typename Slice>
py::tuple sliced(const HeldTools& self, const api::CancelToken& cancel, Slice slice) {
  const auto tools = self.get();
  std::optional<decltype(slice(*tools))> page;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    page.emplace(slice(*tools));
  }
  check_interrupt();
  return page_of(value_or_raise(*std::move(page)));
}

py::tuple page(const HeldTools& self, const std::string& handle, std::uint64_t offset,
               std::uint64_t limit, const std::vector<std::string>& columns, bool has_terms,
               std::optional<double> timeout, const api::CancelToken& cancel) {
  const api::CallOptions options{time_of(timeout), cancel};
  if (has_terms) {
    return sliced(self, cancel, [&](const api::Tools& tools) {
      return api::slice(tools, handle, offset, limit, columns, options);
    });
  }
  return sliced(self, cancel, [&](const api::Tools& tools) {
    return api::plain_slice(tools, handle, offset, limit, columns, options);
  });
}

}  // namespace

void bind_rows(py::class_<HeldTools>& tools) {
  tools.def("page", &page, py::arg("handle"), py::arg("offset"), py::arg("limit"),
            py::arg("columns"), py::arg("has_terms"), py::arg("timeout"), py::arg("cancel"));
}

}  // namespace helve::python
