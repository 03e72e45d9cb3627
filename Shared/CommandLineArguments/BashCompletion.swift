/// The completion script of an executable for bash 4.4 or later.
package enum BashCompletion {
    /// - Parameter root: has the name of the executable.
    package static func script(of root: CommandGroup) -> String {
        let commands = root.commands
        let paths = (root.groups.map(\.path) + commands.map(\.path)).filter { $0.count > 1 }
        let name = root.name
        return """
            # bash completion of \(name). `\(name) completion bash` generates it.
            _\(name)() {
                local current=${COMP_WORDS[COMP_CWORD]} path=\(quoted(name)) option='' operands=0 isPlain='' index word
                COMPREPLY=()
                for ((index = 1; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    # bash separates `--name=value` at the equals sign.
                    if [[ -n $option ]]; then
                        [[ $word == = ]] || option=''
                        continue
                    fi
                    if [[ -z $isPlain && $word == -- ]]; then
                        isPlain=yes
                        continue
                    fi
                    if [[ -z $isPlain && $word == -* ]]; then
                        case "$path:$word" in
            \(cases(commands.flatMap(optionPatterns).map { ($0.pattern, "option=\(quoted($0.option))") }))
                        esac
                        continue
                    fi
                    case "$path $word" in
            \(cases(paths.map { (quoted($0.joined(separator: " ")), "path=\"$path $word\"") }))
                        *) operands=$((operands + 1)) ;;
                    esac
                done
                [[ $current != = ]] || current=''
                if [[ -n $option ]]; then
                    case "$path:$option" in
            \(cases(commands.flatMap(valueCompletions)))
                    esac
                    return
                fi
                if [[ -z $isPlain && $current == -* ]]; then
                    case "$path" in
            \(cases(commands.map(optionNames)))
                        *) COMPREPLY=($(compgen -W '--help' -- "$current")) ;;
                    esac
                    return
                fi
                case "$path:$operands" in
            \(cases(root.groups.map(memberNames) + commands.flatMap(operandCompletions)))
                esac
            }
            complete -F _\(name) \(name)

            """
    }

    private typealias Leaf = (path: [String], type: any Command.Type)

    private static func cases(_ branches: [(pattern: String, action: String)]) -> String {
        branches.map { "            \($0.pattern)) \($0.action) ;;" }.joined(separator: "\n")
    }

    /// Patterns of the options with a value, in all their forms.
    private static func optionPatterns(of leaf: Leaf) -> [(pattern: String, option: String)] {
        leaf.type.declaration.options.filter { $0.valueName != nil }.map { option in
            let forms = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
            let patterns = forms.map { quoted("\(leaf.path.joined(separator: " ")):\($0)") }
            return (patterns.joined(separator: " | "), "--\(option.name)")
        }
    }

    private static func valueCompletions(of leaf: Leaf) -> [(pattern: String, action: String)] {
        leaf.type.declaration.options.filter { $0.valueName != nil }.compactMap { option in
            action(option.completion).map {
                (quoted("\(leaf.path.joined(separator: " ")):--\(option.name)"), $0)
            }
        }
    }

    private static func optionNames(of leaf: Leaf) -> (pattern: String, action: String) {
        let names = (leaf.type.declaration.options + [.help]).map { "--\($0.name)" }
        return (quoted(leaf.path.joined(separator: " ")), action(.words(names)) ?? "")
    }

    private static func memberNames(of node: (path: [String], group: CommandGroup)) -> (pattern: String, action: String)
    {
        let extra = node.path.count == 1 ? ["help", "version"] : []
        let names = node.group.members.map(\.name) + extra
        return (quoted(node.path.joined(separator: " ") + ":0"), action(.words(names)) ?? "")
    }

    private static func operandCompletions(of leaf: Leaf) -> [(pattern: String, action: String)] {
        leaf.type.declaration.operands.enumerated().compactMap { position, operand in
            action(operand.completion).map { action in
                let path = leaf.path.joined(separator: " ")
                return (operand.canRepeat ? quoted(path + ":") + "*" : quoted("\(path):\(position)"), action)
            }
        }
    }

    private static func action(_ completion: ValueCompletion) -> String? {
        switch completion {
        case .none: nil
        case .file: "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))"
        case .directory: "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$current\"))"
        case .words(let words), .proposals(let words):
            "COMPREPLY=($(compgen -W \(quoted(words.joined(separator: " "))) -- \"$current\"))"
        }
    }

    private static func quoted(_ text: String) -> String { ShellText.quoted(text) }
}

/// Text of a shell script.
enum ShellText {
    /// One word, between single quotes.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
