import Testing

@testable import HTTPServer

@Suite struct DescriptorReserveTests {
    @Test(
        arguments: [
            // 64 stay free.
            (lowestFree: 0, limit: 1024, isAllowed: true), (959, 1024, true), (960, 1024, false), (1023, 1024, false),
            (65_471, 65_536, true), (65_472, 65_536, false),
            // With a low limit, a quarter stays free.
            (74, 100, true), (75, 100, false), (0, 3, true), (0, 0, false), (Int32.max, UInt64.max, true),
        ] as [(lowestFree: Int32, limit: UInt64, isAllowed: Bool)])
    func descriptorReserveIsKept(lowestFree: Int32, limit: UInt64, isAllowed: Bool) {
        #expect(
            DescriptorReserve.allowsConnection(lowestFree: lowestFree, limit: limit, keeping: 64) == isAllowed)
    }

    @Test func connectionsAreAllowedAboveReserve() {
        #expect(DescriptorReserve.allowsConnection(keeping: 64))
    }
}
