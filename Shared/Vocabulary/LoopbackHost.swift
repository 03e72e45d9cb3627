extension StringProtocol where SubSequence == Substring {
    /// Whether a host names this machine: `localhost`, an address of 127.0.0.0/8, or `::1` with or without brackets.
    /// Other names do not count: what they mean is for the resolver to say, and may change.
    package var isLoopbackHost: Bool {
        if self == "localhost" || self == "::1" || self == "[::1]" { return true }
        let parts = pieces(at: ".")
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { $0.isASCIIDigits && UInt8($0) != nil }
    }
}
