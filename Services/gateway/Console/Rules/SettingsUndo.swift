import Contracts
import JSON

/// The reversal of one change of settings: its settings get the values from before it, and everything else stays.
struct SettingsUndo: Sendable {
    /// The document after the reversal.
    let document: JSONValue
    /// The paths that the reversal changes, for a field mask.
    let masks: [String]
    /// What was changed again since: from the value of the change to that of now.
    let overwritten: [SettingDifference]
    /// A former logo is not kept.
    let leavesLogo: Bool

    private static let logo = ["branding", "logo"]

    /// - Parameters:
    ///   - before, after: the documents around the change.
    ///   - now: the document that is stored.
    init(from before: JSONValue, to after: JSONValue, in now: JSONValue, of owner: SettingsOwner) {
        let differences = owner.schema.differences(from: before, to: after)
        let undone = differences.filter { !$0.path.starts(with: Self.logo) }
        leavesLogo = undone.count < differences.count
        var changed = now
        var overwritten: [SettingDifference] = []
        for difference in undone {
            let path = SettingPath(difference.mask)
            let current = path.value(in: now)
            if current != difference.after, current != difference.before {
                overwritten.append(.init(path: difference.path, before: difference.after, after: current))
            }
            changed = path.setting(difference.before, in: changed)
        }
        masks = undone.map { SettingPath($0.mask).mask(in: owner.schema, of: changed) }
        document = changed
        self.overwritten = overwritten
    }
}
