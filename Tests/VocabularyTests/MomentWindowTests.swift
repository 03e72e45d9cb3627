import Testing
import Vocabulary

@Suite struct MomentWindowTests {
    private static let now = Moment(milliseconds: 1_700_000_000_000)

    @Test(
        arguments: [
            (0, true), (-59, true), (-60, false), (-86_400, false), (300, true), (301, false),
            (Int64.max / 2_000, false),
        ] as [(Int64, Bool)])
    func windowContainsTheTimesBehindItsBeginning(offset: Int64, contains: Bool) {
        let start = Self.now + .seconds(offset)
        #expect(start.beginsWindow(of: .seconds(60), containing: Self.now) == contains)
    }

    @Test(
        arguments: [
            (0, false), (-1, false), (1, true), (60, true), (360, true), (361, false), (Int64.max / 2_000, false),
        ] as [(Int64, Bool)])
    func lockHoldsForItsLongestDurationAtMost(offset: Int64, holds: Bool) {
        #expect((Self.now + .seconds(offset)).endsWindow(ofAtMost: .seconds(60), at: Self.now) == holds)
    }
}
