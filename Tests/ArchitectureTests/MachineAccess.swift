/// The direct accesses to the machine in a source, which no simulation can replace: clocks, pauses, random numbers, and
/// tasks that belong to nobody.
enum MachineAccess: String, CaseIterable {
    case clock, pause, random, task

    /// How often a source has each of them.
    static func counts(in tokens: [SourceTokens.Token]) -> [MachineAccess: Int] {
        var counts: [MachineAccess: Int] = [:]
        for place in tokens.indices {
            guard let access = access(at: place, tokens) else { continue }
            counts[access, default: 0] += 1
        }
        return counts
    }

    private static let functions: [String: MachineAccess] = [
        "clock_gettime": .clock, "gettimeofday": .clock, "DispatchTime": .clock,
        "usleep": .pause, "nanosleep": .pause,
        "RAND_bytes": .random, "getrandom": .random, "getentropy": .random, "SystemRandom": .random,
        "SystemRandomNumberGenerator": .random,
    ]

    private static let randomMembers: Set<String> = ["random", "randomElement", "shuffle", "shuffled"]

    private static func access(at place: Int, _ tokens: [SourceTokens.Token]) -> MachineAccess? {
        func text(_ offset: Int) -> String {
            tokens.indices.contains(place + offset) ? tokens[place + offset].text : ""
        }
        let isMember = text(-1) == "."
        // `at: .now`, where the type is inferred.
        let isImplicit = isMember && place >= 2 && !(tokens[place - 2].endsOperand && !tokens[place - 1].isSpaced)
        switch text(0) {
        case "now" where isMember:
            let isClock = ["ContinuousClock", "SuspendingClock", "Date", "WallClock", "BusTime", ")"].contains(text(-2))
            return isClock || isImplicit ? .clock : nil
        case "Date" where text(1) == "(" && text(2) == ")": return .clock
        case "time" where !isMember && text(1) == "(" && text(2) == "nil": return .clock
        case "UUID" where text(1) == "(" && text(2) == ")": return .random
        case "sleep" where ["Task", "Thread"].contains(text(-2)): return .pause
        // Not the declaration of a function, nor a call with the numbers of its caller.
        case let word where randomMembers.contains(word) && isMember && text(1) == "(":
            return text(2) == "using" ? nil : .random
        case "Task" where !isMember:
            return ["{", "("].contains(text(1)) || text(2) == "detached" ? .task : nil
        case let word where !isMember && text(-1) != "func": return functions[word]
        default: return nil
        }
    }
}
