import Testing
import Vocabulary

@Suite struct ProjectSharesTests {
    private static func id(_ number: Int) -> ProjectID { ProjectID("p\(number)") }

    /// Projects that hang take all that they get, one after the other.
    @Test(
        arguments: [
            (32, [16, 8, 4, 2, 1, 1, 0]), (48, [24, 12, 6, 3, 2, 1, 0]), (16, [8, 4, 2, 1, 1, 0]), (2, [1, 1, 0]),
            (1, [1, 0]), (0, [0]),
        ] as [(Int, [Int])])
    func hangingProjectLeavesSlots(slots: Int, shares expected: [Int]) {
        var shares = ProjectShares(slots: slots)
        for (number, count) in expected.enumerated() {
            #expect(shares.room(for: Self.id(number)) == count)
            shares.acquire(count, for: Self.id(number))
            #expect(shares.room(for: Self.id(number)) == 0)
        }
        #expect(shares.total == slots)
        for (number, count) in expected.enumerated() {
            for _ in 0..<count { shares.release(Self.id(number)) }
        }
        #expect(shares == ProjectShares(slots: slots))
    }

    /// What others give back is shared anew.
    @Test func releasedSlotsAreShared() {
        var shares = ProjectShares(slots: 8)
        shares.acquire(4, for: Self.id(1))
        shares.acquire(2, for: Self.id(2))
        #expect(shares.room(for: Self.id(1)) == 0 && shares.room(for: Self.id(3)) == 1)
        for _ in 0..<4 { shares.release(Self.id(1)) }
        #expect(shares.room(for: Self.id(2)) == 2 && shares.room(for: Self.id(3)) == 3)
    }
}
