package import Blocking
import Crypto

/// Makes and checks password records. The work runs on threads of its own, a few at a time with a bounded line before
/// them, so that a storm of passwords costs neither memory without end nor the speed of everything else.
package struct PasswordHasher: Sendable {
    /// A key outside the database, without which no record can be checked (security reference PW3).
    package struct Pepper: Sendable {
        var id: String
        var key: [UInt8]

        package init(id: String, key: [UInt8]) {
            self.id = id
            self.key = key
        }
    }

    /// 19 MiB, two passes, one lane: never less (OWASP ASVS 11.4.2).
    static let parameters = Argon2id.Parameters.standard

    private let pool: BlockingPool
    private let pepper: Pepper
    private let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Stands in where there is no account, so that a stranger's attempt costs what an owner's does (PW11).
    private let dummy: PasswordRecord

    package init(pool: BlockingPool, pepper: Pepper, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.pool = pool
        self.pepper = pepper
        self.randomBytes = randomBytes
        dummy = PasswordRecord(
            parameters: Self.parameters, pepperID: pepper.id, salt: randomBytes(PasswordRecord.saltBytes),
            tag: randomBytes(Self.parameters.tagBytes))
    }

    /// A record to store.
    /// - Throws: `IdentityError.overloaded` when the line is full.
    func record(of password: Password) async throws -> String {
        let salt = randomBytes(PasswordRecord.saltBytes)
        let tag = try await hash(password, salt: salt, parameters: Self.parameters)
        return PasswordRecord(parameters: Self.parameters, pepperID: pepper.id, salt: salt, tag: tag).text
    }

    /// Whether a password is the one that `record` was made of. Without a record it is not, and takes as long to be so.
    /// - Throws: `IdentityError.overloaded` when the line is full.
    func isRight(_ password: Password, _ record: String?) async throws -> Bool {
        let stored = record.flatMap(PasswordRecord.init)
        let compared = stored ?? dummy
        let tag = try await hash(password, salt: compared.salt, parameters: compared.parameters)
        let isEqual = constantTimeEquals(tag, compared.tag)
        return isEqual && stored?.pepperID == pepper.id
    }

    private func hash(
        _ password: Password, salt: [UInt8], parameters: Argon2id.Parameters
    ) async throws -> [UInt8] {
        do {
            return try await pool.run { [pepper] in
                try Argon2id.hash(
                    password: HMAC.sha256(key: pepper.key, message: password.bytes), salt: salt, parameters)
            }
        } catch is BlockingPool.Overloaded {
            throw IdentityError.overloaded
        }
    }
}
