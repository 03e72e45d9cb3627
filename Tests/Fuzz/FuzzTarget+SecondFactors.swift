import Contracts
import JSON
import Vocabulary

@testable import MFASMSService
@testable import MFATOTPService

extension FuzzTarget {
    /// `sessionInfo` and the code of an SMS or of an authenticator.
    static func readFactorSession(_ text: String) throws {
        let (first, second) = text.halves(at: "\n")
        if let session = TOTPSession(String(first)) {
            try demand(TOTPSession(session.text)?.secret == session.secret, "a session survives being written")
        }
        let code = String(second ?? first)
        if let code = TOTPCode(code) {
            try demand(code.characters.count == TOTPCode.digits, "a code has its digits")
            _ = code.step(secret: Array(text.utf8), around: TOTPCode.step(at: now), window: 10, after: nil)
        }
        let digests = CodeDigests(key: [UInt8](repeating: 3, count: 32))
        let session = digests.session(String(first))
        try demand(session.count == 32, "every text has a digest of a session")
        try demand(
            digests.code(code, of: session) != digests.code(code + "0", of: session), "another code has another digest")
        _ = digests.request(Array(text.utf8))
    }

    /// The first line is a challenge of the hosted page, and the second its solution; the whole text is an app
    /// credential.
    static func readAppVerification(_ text: String) throws {
        let (project, key) = (realm.project, [UInt8](repeating: 5, count: 32))
        let (first, second) = text.halves(at: "\n")
        if let challenge = ProofOfWorkChallenge(String(first), for: project, key: key) {
            try demand(challenge.text == first, "a challenge has one form")
            _ = challenge.isSolved(by: String(second ?? ""))
            _ = challenge.isExpired(at: now)
        }
        let own = ProofOfWorkChallenge(bits: 1, for: project, at: now, key: key) { [UInt8](repeating: 7, count: $0) }
        let solution = String(second ?? first)
        if own.isSolved(by: solution) {
            try demand(
                solution.utf8.count <= ProofOfWorkChallenge.maximumAnswerDigits
                    && solution.utf8.allSatisfy { (0x30...0x39).contains($0) }, "a solution is a number")
        }
        // The tag is over every bit: no other text is a challenge.
        if first != own.text, first.utf8.count == own.text.utf8.count {
            try demand(
                ProofOfWorkChallenge(String(first), for: ProjectID("other"), key: key) == nil,
                "a challenge belongs to a project")
        }
        for clientType in MFASMS.AppCredential.ClientType.allCases {
            let credential = MFASMS.AppCredential(
                deviceReceipt: String(first), deviceSecret: second.map { Secret(String($0)) },
                recaptchaToken: Secret(text), captchaResponse: Secret(String(first)), clientType: clientType)
            _ = try? credential.proof(requiredBy: ProjectConfiguration())
        }
    }
}
