// SPDX-License-Identifier: BSD-3-Clause
// Functions of fsh_fp_pkg: every mantissa byte from memory to the array and
// back, ReLU of every kind of value that an adder or the array gives.
#include "ref.h"
#include "Vfsh_fp_fn.h"

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_fp_fn", argc, argv);
    auto context = test.context();
    Vfsh_fp_fn dut(context.get());
    unsigned long long values = 0;

    for (unsigned byte = 0; byte < 256; byte++) {
        int want = byte & 0x80 ? -(int)(byte & 0x7f) : (int)byte;
        dut.byte_i = (uint8_t)byte;
        dut.eval();
        if ((int8_t)dut.load_o != want)
            test.fail("%02x is loaded as %d", byte, (int8_t)dut.load_o);
        if (dut.store_o != (byte == 0x80 ? 0 : byte))
            test.fail("%02x comes back as %02x", byte, dut.store_o);
        values++;
    }
    for (int i = 0; i < 100000; i++, values++) {
        uint32_t value = ref::value(test);
        if (value > 0xff800000) // no NaN but the one, which is positive
            continue;
        dut.value_i = value;
        dut.eval();
        if (dut.relu_o != ref::relu(value))
            test.fail("ReLU of %08x is %08x, not %08x", value, dut.relu_o,
                      ref::relu(value));
    }
    dut.final();
    return test.pass(values, "values");
}
