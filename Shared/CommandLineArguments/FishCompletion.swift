/// The completion script of an executable for fish 3 or later.
package enum FishCompletion {
    /// - Parameter root: has the name of the executable.
    package static func script(of root: CommandGroup) -> String {
        let name = root.name
        let function = "__" + name.split(separator: "-").joined(separator: "_")
        let paths = (root.groups.map(\.path) + root.commands.map(\.path)).map { quoted($0.joined(separator: " ")) }
        let lines =
            root.groups.flatMap { memberLines($0, function) } + root.commands.flatMap { commandLines($0, function) }
        return """
            # fish completion of \(name). `\(name) completion fish` generates it.
            set -g \(function)_paths \(paths.joined(separator: " "))

            # The words before the cursor that name a command.
            function \(function)_path
                set -l path \(name)
                for word in (commandline -opc)[2..-1]
                    if contains -- "$path $word" $\(function)_paths
                        set path "$path $word"
                    end
                end
                echo $path
            end

            function \(function)_is
                test (\(function)_path) = "$argv"
            end

            complete -c \(name) -f
            \(lines.map { "complete -c \(name) \($0)" }.joined(separator: "\n"))

            """
    }

    private static func memberLines(_ node: (path: [String], group: CommandGroup), _ function: String) -> [String] {
        let extra =
            node.path.count == 1 ? [("help", "print the help of a command"), ("version", "print the version")] : []
        return (node.group.members.map { ($0.name, $0.summary) } + extra).map { name, summary in
            "\(condition(node.path, function)) -a \(quoted(name)) -d \(quoted(summary))"
        }
    }

    private static func commandLines(_ leaf: (path: [String], type: any Command.Type), _ function: String) -> [String] {
        let declaration = leaf.type.declaration
        let place = condition(leaf.path, function)
        let options = (declaration.options + [.help]).map { option in
            let letter = option.letter.map { " -s \($0)" } ?? ""
            let form = option.valueName == nil ? "" : " " + value(option.completion)
            return "\(place)\(letter) -l \(option.name)\(form) -d \(quoted(option.meaning))"
        }
        let operands = declaration.operands.compactMap { operand -> String? in
            switch operand.completion {
            case .none: nil
            case .file: "\(place) -F"
            case .directory, .words, .proposals: "\(place) -a \(proposals(operand.completion))"
            }
        }
        return options + operands
    }

    private static func condition(_ path: [String], _ function: String) -> String {
        "-n \(quoted("\(function)_is \(path.joined(separator: " "))"))"
    }

    /// The value of an option: `-x` without files, `-r` with them.
    private static func value(_ completion: ValueCompletion) -> String {
        switch completion {
        case .none: "-x"
        case .file: "-r -F"
        case .directory, .words, .proposals: "-x -a \(proposals(completion))"
        }
    }

    private static func proposals(_ completion: ValueCompletion) -> String {
        switch completion {
        case .directory: quoted("(__fish_complete_directories)")
        case .none, .file, .words, .proposals: quoted(completion.words.joined(separator: " "))
        }
    }

    /// One word, between single quotes, in which fish knows `\'` and `\\`.
    private static func quoted(_ text: String) -> String {
        "'" + text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
