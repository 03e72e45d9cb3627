import ServiceRuntime

/// The manual page of an executable, in the macros of man(7).
package enum ManPage {
    /// - Parameters:
    ///   - root: has the name of the executable.
    ///   - exitCodes: each code with a phrase.
    package static func text(of root: CommandGroup, exitCodes: [(code: Int32, meaning: String)]) -> String {
        var lines = [
            ".\\\" `\(root.name) man` generates this file. A test compares them.",
            ".TH \(root.name.uppercased()) 1 \"\" \"\(root.name) \(Program.version)\" \"\(root.name)\"",
            ".SH NAME", "\(escaped(root.name)) \\- \(escaped(root.summary))",
            ".SH SYNOPSIS", ".B \(escaped(root.name))", ".I COMMAND", "[OPTION ...] [OPERAND ...]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(root.discussion)
        lines.append(".SH COMMANDS")
        for (path, type) in root.commands { lines += section(path, type.declaration) }
        let discussed = root.groups.dropFirst().filter { !$0.group.discussion.isEmpty }
        for (path, group) in discussed {
            lines.append(".SS \"\(escaped(path.joined(separator: " ")))\"")
            lines += paragraphs(group.discussion)
        }
        lines.append(".SH EXIT STATUS")
        for (code, meaning) in exitCodes { lines += [".TP", ".B \(code)", escaped(sentence(meaning))] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ path: [String], _ declaration: CommandDeclaration) -> [String] {
        let command = path.joined(separator: " ")
        var lines = [
            ".SS \"\(escaped(command))\(escaped(HelpText.usage(of: declaration)))\"",
            escaped(sentence(declaration.summary)),
        ]
        if !declaration.discussion.isEmpty { lines += [".PP"] + paragraphs(declaration.discussion) }
        for operand in declaration.operands {
            lines += [".TP", ".I \(escaped(operand.name))", escaped(sentence(operand.meaning))]
        }
        for option in declaration.options {
            let names = [option.letter.map { "-\($0)" }, "--\(option.name)"].compactMap(\.self)
            let value = option.valueName.map { " \\fI\(escaped($0))\\fR" } ?? ""
            lines += [
                ".TP", names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ") + value,
                escaped(sentence(HelpText.meaning(of: option))),
            ]
        }
        return lines
    }

    private static func paragraphs(_ discussion: String) -> [String] {
        let paragraphs = discussion.split(separator: "\n\n").map { paragraph in
            paragraph.hasPrefix(" ")
                ? [".nf", escaped(String(paragraph)), ".fi"]
                : [escaped(paragraph.split(separator: "\n").joined(separator: " "))]
        }
        return Array(paragraphs.joined(separator: [".PP"]))
    }

    /// A phrase as a sentence.
    private static func sentence(_ phrase: String) -> String {
        phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
    }

    /// Text that roff prints as it is: a backslash begins a command, a period at the begin of a line too, and a plain
    /// `-` is a hyphen, which cannot be copied into a shell.
    private static func escaped(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var result = ""
            for character in line {
                switch character {
                case "\\": result += "\\e"
                case "-": result += "\\-"
                case "\"": result += "\\(dq"
                default: result.append(character)
                }
            }
            return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
        }.joined(separator: "\n")
    }
}
