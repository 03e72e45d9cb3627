import Crypto
import Vocabulary

/// A stored password hash in PHC string form, `$argon2id$v=19$m=19456,t=2,p=1,keyid=<id>$<salt>$<tag>`. It contains all
/// values for verification, except the pepper that `keyid` names (security rule PW1, PW3).
struct PasswordRecord: Equatable, Sendable {
    var parameters: Argon2.Parameters
    var pepperID: String
    var salt: [UInt8]
    var tag: [UInt8]

    /// Random for each record (security rule PW2).
    static let saltBytes = 16

    var text: String {
        "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.iterations),p=\(parameters.parallelism)"
            + ",keyid=\(pepperID)$\(Base64URL.encode(salt))$\(Base64URL.encode(tag))"
    }
}

extension PasswordRecord {
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        var parts = text.pieces(at: "$")[...]
        guard parts.count == 6, parts.popFirst() == "", parts.popFirst() == "argon2id", parts.popFirst() == "v=19",
            var fields = parts.popFirst()?.pieces(at: ",").map({ $0.halves(at: "=") })[...],
            let salt = parts.popFirst().flatMap({ Base64URL.decode($0) }),
            let tag = parts.popFirst().flatMap({ Base64URL.decode($0) }),
            fields.map({ $0.before }) == ["m", "t", "p", "keyid"],
            let memory = fields.popFirst()?.behind.flatMap({ Int($0) }),
            let iterations = fields.popFirst()?.behind.flatMap({ Int($0) }),
            let parallelism = fields.popFirst()?.behind.flatMap({ Int($0) }),
            let pepperID = fields.popFirst()?.behind
        else { return nil }
        self.init(
            parameters: .init(
                memoryKiB: memory, iterations: iterations, parallelism: parallelism, tagBytes: tag.count),
            pepperID: String(pepperID), salt: salt, tag: tag)
    }
}
