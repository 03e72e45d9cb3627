package import ServiceRuntime
import Settings

/// The arguments of one command, checked against its declaration.
package struct ParsedArguments: Sendable {
    private let declaration: CommandDeclaration
    /// The values of each given option, by its name. A flag has an empty list.
    private let values: [String: [String]]
    private let operands: [String]
    /// The variables of the process, changed by the files of `--env-file`, and then by the options that override
    /// settings.
    package let environment: Environment

    /// - Parameters:
    ///   - words: after the name of the command.
    ///   - names: the options of all commands of the executable, for messages.
    ///   - environment: of the process.
    /// - Throws: `UsageError`, `EnvironmentFileError`.
    package init(
        _ words: [String], of declaration: CommandDeclaration, knownOptions names: Set<String> = [],
        over environment: Environment
    ) throws {
        var scan = ArgumentScan(declaration: declaration, knownOptions: names)
        try scan.read(words)
        try scan.checkOperands()
        self.declaration = declaration
        values = scan.values
        operands = scan.operands
        var environment = environment
        for file in scan.values[CommandOption.environmentFile.name] ?? [] {
            environment = environment.changing(try EnvironmentFile(path: file).variables.mapValues(Optional.some))
        }
        var changes: [Setting: String?] = [:]
        for option in declaration.options {
            guard let setting = option.setting, let given = scan.values[option.name] else { continue }
            changes[setting] = option.valueName == nil ? "1" : given.joined(separator: ",")
        }
        environment = environment.changing(changes)
        if scan.values[CommandOption.environmentFile.name] != nil {
            let namesMesh = [Setting.data, .dev].contains { environment[$0] != nil }
            if !namesMesh { environment = environment.changing([.data: Self.unitDataDirectory]) }
        }
        self.environment = environment
    }

    /// `StateDirectory=` of the systemd units. The units set it beside their environment files.
    private static let unitDataDirectory = "/var/lib/latchkey"

    /// Whether the command has the option.
    package func declares(_ option: CommandOption) -> Bool { declaration.options.contains(option) }

    /// Whether the option is on the command line.
    package func has(_ option: CommandOption) -> Bool { given(option) != nil }

    /// The value of an option; nil if it is not on the command line.
    package func value(_ option: CommandOption) -> String? { given(option)?.last }

    /// The values of a repeatable option, in their order.
    package func values(_ option: CommandOption) -> [String] { given(option) ?? [] }

    /// The value of an option as a decimal number; nil if it is not on the command line.
    /// - Throws: `UsageError` if the value is not a number of the range.
    package func integer(_ option: CommandOption, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("--\(option.name) requires a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// The value of a required operand.
    package subscript(operand: Operand) -> String {
        guard !operand.isOptional, let value = all(operand).first else {
            preconditionFailure("\(operand.name) of \(declaration.name) is not required, so it may be absent")
        }
        return value
    }

    /// The value of an operand; nil if it is not on the command line.
    package func optional(_ operand: Operand) -> String? { all(operand).first }

    /// The values of a repeatable operand, in their order.
    package func all(_ operand: Operand) -> [String] {
        guard let position = declaration.operands.firstIndex(of: operand) else {
            preconditionFailure("\(declaration.name) does not declare \(operand.name)")
        }
        let rest = operands.dropFirst(position)
        return Array(operand.canRepeat ? rest : rest.prefix(1))
    }

    private func given(_ option: CommandOption) -> [String]? {
        precondition(declaration.options.contains(option), "\(declaration.name) does not declare --\(option.name)")
        return values[option.name]
    }
}

/// Separates the words of a command line into options and operands.
struct ArgumentScan {
    let declaration: CommandDeclaration
    let knownOptions: Set<String>
    private(set) var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    mutating func read(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        var readsOptions = true
        while let word = rest.popFirst() {
            if readsOptions, word == "--" {
                readsOptions = false
            } else if readsOptions, word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts.first.map(String.init) ?? ""
                guard let option = declaration.options.first(where: { $0.name == name }) else {
                    throw unknownOption("--" + name)
                }
                try add(option, written: "--" + name, attached: parts.dropFirst().first.map(String.init), &rest)
            } else if readsOptions, word.hasPrefix("-"), word != "-" {
                guard let letter = word.dropFirst().first,
                    let option = declaration.options.first(where: { $0.letter == letter })
                else { throw unknownOption(word) }
                let attached = String(word.dropFirst(2))
                try add(option, written: "-\(letter)", attached: attached.isEmpty ? nil : attached, &rest)
            } else {
                try addOperand(word)
            }
        }
    }

    func checkOperands() throws(UsageError) {
        let required = declaration.operands.filter { !$0.isOptional }
        guard operands.count >= required.count else {
            let missing = required.dropFirst(operands.count).map(\.name).joined(separator: " and ")
            throw UsageError("`\(declaration.name)` requires \(missing).")
        }
    }

    private mutating func add(
        _ option: CommandOption, written: String, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        guard option.canRepeat || values[option.name] == nil else {
            throw UsageError("\(written) is given twice.")
        }
        guard let valueName = option.valueName else {
            guard attached == nil else { throw UsageError("\(written) takes no value.") }
            values[option.name] = []
            return
        }
        // A following option is not a value: `--data --dev` lacks one.
        guard let value = attached ?? rest.popFirst(), !value.isEmpty, attached != nil || !value.hasPrefix("--") else {
            throw UsageError("\(written) requires \(valueName).")
        }
        try check(value, of: written, option.completion)
        values[option.name, default: []].append(value)
    }

    private mutating func addOperand(_ word: String) throws(UsageError) {
        let last = declaration.operands.last
        let operand =
            operands.count < declaration.operands.count
            ? declaration.operands[operands.count] : (last?.canRepeat == true ? last : nil)
        guard let operand else {
            let shown = UsageError.quoted(word)
            throw UsageError(
                "`\(declaration.name)` takes no \(declaration.operands.isEmpty ? "" : "further ")operand \(shown).")
        }
        guard !word.isEmpty else { throw UsageError("\(operand.name) is empty.") }
        try check(word, of: operand.name, operand.completion)
        operands.append(word)
    }

    private func check(_ value: String, of name: String, _ completion: ValueCompletion) throws(UsageError) {
        switch completion {
        case .none, .file, .directory, .proposals: break
        case .words(let words):
            guard !words.contains(value) else { return }
            throw UsageError(
                "\(name) is \(UsageError.quoted(value)), and can be: \(words.joined(separator: ", "))."
                    + UsageError.suggestion(for: value, among: words))
        }
    }

    private func unknownOption(_ written: String) -> UsageError {
        let name = String(written.drop { $0 == "-" })
        if knownOptions.contains(name) {
            return UsageError("\(written) has no effect with `\(declaration.name)`.")
        }
        let names = declaration.options.map(\.name) + [CommandOption.help.name]
        return UsageError(
            "There is no option \(UsageError.quoted(written))."
                + UsageError.suggestion(for: name, among: names, prefix: "--"))
    }
}
