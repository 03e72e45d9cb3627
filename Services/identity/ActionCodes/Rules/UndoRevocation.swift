import Contracts
import Vocabulary

/// An undo code of an account, with its place in the order in which the store issued them.
struct UndoCode: Equatable, Sendable {
    var code: ActionCode
    var sequence: Int64
}

/// Which undo codes of an account (`recoverEmail`, `revertSecondFactorAddition`) become void.
///
/// An undo code gives the account back to the reader of an earlier mailbox. After a theft that is the owner. Of an account
/// that was prepared for somebody else it is the attacker: sign up, verify an own address, move the account to the address
/// of the victim, wait, undo (account pre-hijacking, "classic" and "trojan identifier"; security rule FE13). The two
/// differ in how the account came to its present address:
/// - It stood there unverified and is verified now: until now the account was nobody's, and what reaches back behind this
///   moment is void.
/// - The change itself verified it (`verifyAndChangeEmail`, a linked address): there was an owner before, who keeps the
///   undo code of this change, however often the new mailbox is verified afterwards.
enum UndoRevocation: Equatable, Sendable {
    /// The address that the account had unverified was verified: by a password reset, a verification, a sign-in by link or
    /// an administrator. Codes that were sent to other mailboxes are void.
    case mailboxVerified(EmailAddress)
    /// The code of this place gave the account its former address back. Codes of later changes are void. Those of earlier
    /// ones are not: a thief who changes the address twice and undoes the second change must not void the owner's code.
    case emailRecovered(EmailAddress, bySequence: Int64)

    /// - Returns: nil for a change that did not verify the address the account had.
    init?(from before: Account, to after: Account) {
        guard let email = after.email, email == before.email, after.emailVerified, !before.emailVerified else {
            return nil
        }
        self = .mailboxVerified(email)
    }

    func voids(_ undo: UndoCode) -> Bool {
        switch undo.code.purpose {
        case .recoverEmail, .revertSecondFactorAddition: break
        case .passwordReset, .emailSignIn, .verifyEmail, .verifyAndChangeEmail: return false
        }
        switch self {
        case .mailboxVerified(let email): return undo.code.email != email
        case .emailRecovered(let email, let sequence): return undo.code.email != email && undo.sequence > sequence
        }
    }
}

extension ActionCode.Purpose {
    /// Those that take a change back.
    static let undoing: [Self] = [.recoverEmail, .revertSecondFactorAddition]
}
