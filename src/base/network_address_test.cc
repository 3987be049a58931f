#include "base/network_address.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(NetworkAddress, WhatBelongsToNobodyElseIsNotPublic) {
  for (const char* text : {"0.0.0.0",
                           "10.1.2.3",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.254",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.1",
                           "192.0.2.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.7",
                           "203.0.113.9",
                           "224.0.0.1",
                           "239.255.255.255",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1",
                           "::127.0.0.1",
                           "64:ff9b::a00:1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:a00:1::1",
                           "3fff::1",
                           "fc00::1",
                           "fdff::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1"}) {
    EXPECT_TRUE(is_address_in_digits(text)) << text;
    EXPECT_FALSE(is_public_address(text)) << text;
  }
}

TEST(NetworkAddress, TheRestIs) {
  for (const char* text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1",
        "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"}) {
    EXPECT_TRUE(is_public_address(text)) << text;
  }
}

TEST(NetworkAddress, OtherTextsAreNoAddresses) {
  for (const char* text : {"", "localhost", "1.2.3", "0x7f000001", "2130706433", "127.1",
                           "1.2.3.4.5", "[::1]", "::1%eth0", "example.org"}) {
    EXPECT_FALSE(is_address_in_digits(text)) << text;
    EXPECT_FALSE(is_public_address(text)) << text;
  }
}

}  // namespace
}  // namespace helve
