import Testing

@testable import ServiceRuntime

@Suite struct IdleMemoryTests {
    /// The processor seconds at each report, two seconds apart, and whether memory is returned then.
    @Test(arguments: [
        // The start, then nothing.
        [(0.08, true), (0.09, false), (0.10, false)],
        // The start takes long.
        [(0.8, false), (1.6, false), (1.61, true), (1.62, false)],
        // Load, and its end.
        [(0.05, true), (1.5, false), (3.2, false), (3.21, true), (3.22, false)],
        // The work of an idle process adds up.
        [
            (0.05, true), (0.14, false), (0.23, false), (0.32, false), (0.41, false), (0.5, false), (0.59, true),
            (0.6, false),
        ],
    ])
    func memoryIsReturnedOnceAfterWork(reports: [(Double, Bool)]) {
        var memory = IdleMemory()
        for (seconds, isDue) in reports {
            let decision = memory.isDue(processorSeconds: seconds, interval: 2)
            #expect(decision == isDue, "at \(seconds) s")
        }
    }

    /// At the bound of an idle interval.
    @Test func boundOfIdlenessIsFivePercent() {
        for (seconds, isIdle) in [(0.0999, true), (0.1, false)] {
            var memory = IdleMemory()
            let decision = memory.isDue(processorSeconds: seconds, interval: 2)
            #expect(decision == isIdle)
        }
    }

    /// The blocks in use keep their values, and free ones are used again afterwards.
    @Test func processWorksAfterReturn() {
        for count in 1...3 {
            let blocks = (0..<10_000).map { [UInt8](repeating: UInt8($0 % 251), count: 100 * count) }
            IdleMemory.release()
            #expect(blocks.enumerated().allSatisfy { $1.allSatisfy { [number = $0] in $0 == UInt8(number % 251) } })
        }
    }
}
