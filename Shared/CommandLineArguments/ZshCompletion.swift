/// The completion script of an executable for zsh 5 or later: a file `_NAME` in a directory of `fpath`.
package enum ZshCompletion {
    /// - Parameter root: has the name of the executable.
    package static func script(of root: CommandGroup) -> String {
        let functions = root.groups.map(groupFunction) + root.commands.map(commandFunction)
        return """
            #compdef \(root.name)
            # zsh completion of \(root.name). `\(root.name) completion zsh` generates it.

            \(functions.joined(separator: "\n\n"))

            if [[ $funcstack[1] == _\(root.name) ]]; then
                _\(root.name) "$@"
            else
                compdef _\(root.name) \(root.name)
            fi

            """
    }

    /// The first word is the name of the group, the second one a command of it.
    private static func groupFunction(of node: (path: [String], group: CommandGroup)) -> String {
        let extra =
            node.path.count == 1 ? [("help", "print the help of a command"), ("version", "print the version")] : []
        let rows = (node.group.members.map { ($0.name, $0.summary) } + extra).map { name, summary in
            "        " + ShellText.quoted("\(name):\(summary)")
        }
        let calls = node.group.members.map { "        \($0.name)) \(function(node.path + [$0.name])) ;;" }
        return """
            \(function(node.path))() {
                local -a commands=(
            \(rows.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe -t commands command commands
                    return
                fi
                local name=$words[2]
                shift words
                (( CURRENT-- ))
                case $name in
            \(calls.joined(separator: "\n"))
                esac
            }
            """
    }

    private static func commandFunction(of leaf: (path: [String], type: any Command.Type)) -> String {
        let declaration = leaf.type.declaration
        let options = (declaration.options + [.help]).flatMap(specifications)
        let operands = declaration.operands.enumerated().map { position, operand in
            let place = operand.canRepeat ? "*" : "\(position + 1)"
            return "\(place):\(operand.isOptional ? ":" : "")\(escaped(operand.name)):\(action(operand.completion))"
        }
        let words = (options + operands).map { " \\\n        \(ShellText.quoted($0))" }
        return """
            \(function(leaf.path))() {
                _arguments -S :\(words.joined())
            }
            """
    }

    /// The forms of one option, as `_arguments` of zshcompsys(1) specifies them.
    private static func specifications(of option: CommandOption) -> [String] {
        let forms = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
        let prefix = option.canRepeat ? "*" : forms.count > 1 ? "(\(forms.joined(separator: " ")))" : ""
        return forms.map { form in
            let text = "[\(escaped(option.meaning))]"
            guard let valueName = option.valueName else { return prefix + form + text }
            let separator = form.hasPrefix("--") ? "=" : "+"
            return "\(prefix)\(form)\(separator)\(text):\(escaped(valueName)):\(action(option.completion))"
        }
    }

    private static func action(_ completion: ValueCompletion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words), .proposals(let words): "(\(words.map(escaped).joined(separator: " ")))"
        }
    }

    private static func function(_ path: [String]) -> String {
        "_" + path.map { $0.split(separator: "-").joined(separator: "_") }.joined(separator: "_")
    }

    /// Characters with a meaning in a specification of `_arguments`.
    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\()".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
