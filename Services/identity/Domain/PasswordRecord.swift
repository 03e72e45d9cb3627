import Crypto

/// A stored password hash in PHC string form, `$argon2id$v=19$m=19456,t=2,p=1,keyid=<id>$<salt>$<tag>`: everything that
/// is needed to verify it, but for the pepper that `keyid` names (security reference PW1, PW3).
struct PasswordRecord: Equatable, Sendable {
    var parameters: Argon2id.Parameters
    var pepperID: String
    var salt: [UInt8]
    var tag: [UInt8]

    static let saltBytes = 16

    var text: String {
        "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.iterations),p=\(parameters.parallelism)"
            + ",keyid=\(pepperID)$\(Base64URL.encode(salt))$\(Base64URL.encode(tag))"
    }

    init(parameters: Argon2id.Parameters, pepperID: String, salt: [UInt8], tag: [UInt8]) {
        self.parameters = parameters
        self.pepperID = pepperID
        self.salt = salt
        self.tag = tag
    }

    /// - Returns: nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            let salt = Base64URL.decode(String(parts[4])), let tag = Base64URL.decode(String(parts[5]))
        else { return nil }
        let fields = parts[3].split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
        guard fields.count == 4, fields.allSatisfy({ $0.count == 2 }),
            fields.map({ $0[0] }) == ["m", "t", "p", "keyid"],
            let memory = Int(fields[0][1]), let iterations = Int(fields[1][1]), let lanes = Int(fields[2][1])
        else { return nil }
        self.init(
            parameters: .init(
                memoryKiB: memory, iterations: iterations, parallelism: lanes, tagBytes: tag.count),
            pepperID: String(fields[3][1]), salt: salt, tag: tag)
    }
}
