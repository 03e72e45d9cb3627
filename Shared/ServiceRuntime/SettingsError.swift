package import Settings

/// One setting that is missing or malformed.
package struct SettingsIssue: Equatable, Sendable, CustomStringConvertible {
    /// The variable or option.
    package var setting: String
    /// The problem, as the rest of a sentence: `is not set`.
    package var problem: String
    /// The remedy, as a separate sentence without the full stop, or a question.
    package var remedy: String

    package init(_ setting: String, _ problem: String, remedy: String) {
        self.setting = setting
        self.problem = problem
        self.remedy = remedy
    }

    package init(_ setting: Setting, _ problem: String, remedy: String) {
        self.init(setting.name, problem, remedy: remedy)
    }

    package var description: String { "\(setting) \(problem). \(remedy)\(remedy.hasSuffix("?") ? "" : ".")" }
}

/// All invalid settings of a process, so that one start reports all of them.
package struct SettingsError: ExitError, Equatable {
    package var issues: [SettingsIssue]

    package init(_ issues: [SettingsIssue]) {
        self.issues = issues
    }

    package var exitCode: Int32 { ExitCode.settings }
    package var messages: [String] { issues.map(\.description) }
}
