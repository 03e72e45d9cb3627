import Testing
import Vocabulary

@Suite struct SaturatingArithmeticTests {
    /// Every pair of 8-bit values, compared with wider arithmetic.
    @Test func resultsSaturateAtBounds() {
        for left in Int8.min...Int8.max {
            for right in Int8.min...Int8.max {
                #expect(left.addingSaturated(right) == Int8(clamping: Int(left) + Int(right)))
                #expect(left.subtractingSaturated(right) == Int8(clamping: Int(left) - Int(right)))
                #expect(left.multipliedSaturated(by: right) == Int8(clamping: Int(left) * Int(right)))
            }
        }
        for left in UInt8.min...UInt8.max {
            for right in UInt8.min...UInt8.max {
                #expect(left.addingSaturated(right) == UInt8(clamping: Int(left) + Int(right)))
                #expect(left.subtractingSaturated(right) == UInt8(clamping: Int(left) - Int(right)))
                #expect(left.multipliedSaturated(by: right) == UInt8(clamping: Int(left) * Int(right)))
            }
        }
    }

    @Test(
        arguments: [
            (0.0, 0), (1.9, 1), (-1.9, -1), (0x1p53, 1 << 53), (1e300, .max), (-1e300, .min), (0x1p63, .max),
            (-0x1p63, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
        ] as [(Double, Int64)])
    func fractionsAreTruncatedAndOutOfRangeSaturates(number: Double, integer: Int64) {
        #expect(Int64(saturating: number) == integer)
    }
}
