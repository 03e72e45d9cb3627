import Contracts
import TestSupport
import Testing
import UserFiles
import Vocabulary

/// The table of hash algorithms: what a form writes it also reads. `AccountImportTests` does the same for REST.
@Suite struct PasswordHashNameTests {
    private typealias Kind = PasswordHashAlgorithm.Kind

    @Test func sampleHasItsKind() {
        for kind in Kind.all { #expect(kind.sample.algorithm.kind == kind) }
    }

    @Test func namesAreDistinct() {
        for names in [Kind.all.compactMap(\.wireName), Kind.all.compactMap(\.textName)] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test(arguments: PasswordHashAlgorithm.Kind.all) func textIsReadAgain(kind: PasswordHashAlgorithm.Kind) {
        let (algorithm, hash) = kind.sample
        let salt: [UInt8] =
            switch kind.family {
            case .bcrypt, .prehashedBcrypt, .shaCrypt: []
            case .hmac, .digest, .pbkdf2, .firebaseScrypt, .scrypt, .argon2, .pepperedArgon2: [1]
            }
        let text = PasswordHashText(algorithm: algorithm, salt: OctetString(salt), hash: hash)
        #expect(PasswordHashText(text.text) == text, "\(text.text)")
    }

    @Test(arguments: PasswordHashAlgorithm.Kind.all) func optionsAreReadAgain(kind: PasswordHashAlgorithm.Kind) throws {
        let algorithm = kind.sample.algorithm
        let parameters = HashParameters(describing: algorithm)
        #expect((parameters == nil) == !kind.isOfFirebase)
        #expect(try parameters == nil || parameters?.algorithm() == algorithm)
    }
}
