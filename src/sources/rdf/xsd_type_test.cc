#include "sources/rdf/xsd_type.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

TEST(XsdType, EveryTypeIsFoundByItsIri) {
  std::set<std::string_view> iris;
  for (std::size_t i = 0; i < kXsdTypeCount; ++i) {
    const auto type = static_cast<XsdType>(i);
    const std::string_view iri = iri_of_xsd_type(type);
    EXPECT_EQ(xsd_type_of_iri(iri), type) << iri;
    EXPECT_TRUE(iris.insert(iri).second) << iri;
  }
  EXPECT_EQ(xsd_type_of_iri(kXsdInteger), XsdType::Integer);
  EXPECT_EQ(xsd_type_of_iri(kXsdDateTime), XsdType::DateTime);
  EXPECT_EQ(xsd_type_of_iri(kXsdString), XsdType::String);
}

TEST(XsdType, OtherIrisAreNone) {
  for (const char* name : {"", "integer ", "Integer", "intege", "integers", "anyType", "NOTATION",
                           "ENTITY", "gyear", "x"}) {
    EXPECT_EQ(xsd_type_of_iri(std::string(kXsd) + name), std::nullopt) << name;
  }
  EXPECT_EQ(xsd_type_of_iri(""), std::nullopt);
  EXPECT_EQ(xsd_type_of_iri("integer"), std::nullopt);
  EXPECT_EQ(xsd_type_of_iri(kRdfLangString), std::nullopt);
}

TEST(XsdType, OperandsSubstituteDerivedTypes) {
  EXPECT_EQ(operand_type(XsdType::UnsignedByte), XsdType::Integer);
  EXPECT_EQ(operand_type(XsdType::NcName), XsdType::String);
  EXPECT_EQ(operand_type(XsdType::DateTimeStamp), XsdType::DateTime);
  EXPECT_EQ(operand_type(XsdType::AnyUri), XsdType::AnyUri);
  EXPECT_EQ(operand_type(XsdType::DayTimeDuration), XsdType::DayTimeDuration);
  EXPECT_EQ(operand_type(XsdType::Decimal), XsdType::Decimal);
  EXPECT_FALSE(is_integer_type(XsdType::Decimal));
  EXPECT_FALSE(is_numeric_type(XsdType::Boolean));
  EXPECT_FALSE(is_string_type(XsdType::AnyUri));
  EXPECT_FALSE(is_temporal_type(XsdType::Duration));
}

}  // namespace
}  // namespace helve::rdf
