import ServiceRuntime
import Settings

/// The output of `--help`.
package enum HelpText {
    private static let width = 100
    private static let indentation = "  "

    /// The help of the executable.
    package static func text(of root: CommandGroup) -> String { text(of: .group(root), at: [root.name]) }

    /// - Parameter path: the words of the command, with the name of the executable.
    package static func text(of node: CommandTree, at path: [String]) -> String {
        let command = path.joined(separator: " ")
        let sections: [String] =
            switch node {
            case .command(let type):
                ["\(command): \(type.declaration.summary)"] + sections(of: type.declaration, command)
            case .group(let group):
                [
                    path.count == 1
                        ? "\(command) \(Program.version): \(group.summary)" : "\(command): \(group.summary)",
                    "Usage: \(command) COMMAND [OPTION ...]", "Commands:\n" + members(of: group),
                ] + paragraphs(group.discussion) + ["`\(command) COMMAND --help` prints the help of one command."]
            }
        return sections.joined(separator: "\n\n")
    }

    private static func members(of group: CommandGroup) -> String {
        let rows = group.commands.map { path, type in
            (path.dropFirst().joined(separator: " "), type.declaration.summary)
        }
        return table(rows)
    }

    private static func sections(of declaration: CommandDeclaration, _ command: String) -> [String] {
        var sections = ["Usage: \(command)\(usage(of: declaration))"]
        sections += paragraphs(declaration.discussion)
        if !declaration.operands.isEmpty {
            sections.append("Operands:\n" + table(declaration.operands.map { ($0.name, $0.meaning) }))
        }
        let options = declaration.options + [.help]
        sections.append("Options:\n" + table(options.map { (written($0), meaning(of: $0)) }))
        return sections
    }

    /// The operands and options behind the name of the command.
    static func usage(of declaration: CommandDeclaration) -> String {
        let operands = declaration.operands.map { operand in
            let name = operand.name + (operand.canRepeat ? " ..." : "")
            return operand.isOptional ? " [\(name)]" : " \(name)"
        }
        return (declaration.options.isEmpty ? "" : " [OPTION ...]") + operands.joined()
    }

    /// The option as on a command line: `-o, --output FILE`.
    static func written(_ option: CommandOption) -> String {
        let letter = option.letter.map { "-\($0), " } ?? ""
        return "\(letter)--\(option.name)\(option.valueName.map { " " + $0 } ?? "")"
    }

    /// What the option does, with its values and its setting.
    static func meaning(of option: CommandOption) -> String {
        var text = option.meaning
        switch option.completion {
        case .words(let words): text += ": " + words.joined(separator: ", ")
        case .none, .file, .directory, .proposals: break
        }
        if option.canRepeat { text += "; can be repeated" }
        if let setting = option.setting { text += " [\(setting.name)]" }
        return text
    }

    private static func paragraphs(_ discussion: String) -> [String] {
        discussion.split(separator: "\n\n").map { paragraph in
            // Indented lines are examples, which keep their form.
            paragraph.hasPrefix(" ")
                ? String(paragraph) : wrapped(String(paragraph), indentation: "").joined(separator: "\n")
        }
    }

    /// Two columns. A long name has its text on the next line.
    private static func table(_ rows: [(name: String, text: String)]) -> String {
        let column = min(30, (rows.map(\.name.count).max() ?? 0) + 2)
        return rows.map { name, text in
            let lines = wrapped(text, indentation: indentation + String(repeating: " ", count: column))
            guard name.count + 2 <= column, let first = lines.first else {
                return ([indentation + name] + lines).joined(separator: "\n")
            }
            let padded = name + String(repeating: " ", count: column - name.count)
            return ([indentation + padded + first.drop { $0 == " " }] + lines.dropFirst()).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, indentation: String) -> [String] {
        var lines: [String] = []
        var line = indentation
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if line.count > indentation.count, line.count + 1 + word.count > width {
                lines.append(line)
                line = indentation
            }
            line += (line.count == indentation.count ? "" : " ") + word
        }
        return lines + [line]
    }
}
