import ServiceRuntime

/// One result of `latchkey doctor`. Its JSON is a line of `latchkey doctor --json`.
struct Finding: Encodable, Equatable, Sendable {
    enum Result: String, Encodable, Sendable {
        case ok
        /// Something works, but differs from what an operator wants.
        case warning
        /// Something does not work.
        case error
        /// The check was not possible or does not apply.
        case skipped
    }

    /// The subject, for example `data directory`.
    var check: String
    var result: Result
    /// A whole sentence.
    var text: String
    /// A whole sentence; nil if nothing is to be done.
    var remedy: String?

    init(_ check: String, _ result: Result, _ text: String, remedy: String? = nil) {
        self.check = check
        self.result = result
        self.text = text
        self.remedy = remedy
    }
}

/// What the doctor found wrong. Exit code 1.
struct DoctorError: ExitError, Equatable {
    let errors: Int

    var messages: [String] { ["\(errors) \(errors == 1 ? "check has" : "checks have") found an error."] }
}
