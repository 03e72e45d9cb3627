/// The slots of a process that its projects share, such as calls to servers of their own that may hang.
///
/// A project gets at most half of the slots that the others leave, rounded up. So one project never has all of them, and
/// neither have a few: of 32, six hanging projects have 16, 8, 4, 2, 1 and 1.
package struct ProjectShares: Equatable, Sendable {
    /// All slots.
    package let slots: Int
    /// Those in use.
    package private(set) var total = 0
    private var used: [ProjectID: Int] = [:]

    package init(slots: Int) {
        self.slots = slots
    }

    /// How many more slots a project may use now.
    package func room(for project: ProjectID) -> Int {
        let used = used[project] ?? 0
        return Self.room(of: slots, used: used, byOthers: total - used)
    }

    /// How many more of `slots` a project may use that uses `used`.
    package static func room(of slots: Int, used: Int, byOthers others: Int) -> Int {
        let left = max(0, slots - others)
        return max(0, (left + 1) / 2 - used)
    }

    /// Takes slots, at most `room`.
    package mutating func acquire(_ count: Int = 1, for project: ProjectID) {
        precondition(count >= 0 && count <= room(for: project), "more slots than the share of the project")
        total += count
        if count > 0 { used[project, default: 0] += count }
    }

    /// Gives back one slot.
    package mutating func release(_ project: ProjectID) {
        guard let count = used[project] else { preconditionFailure("released without a slot") }
        total -= 1
        used[project] = count == 1 ? nil : count - 1
    }
}
