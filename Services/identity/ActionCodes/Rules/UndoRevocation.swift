import Contracts
import Vocabulary

/// An undo code of an account, with its position in the order of issue.
struct UndoCode: Equatable, Sendable {
    var code: ActionCode
    var sequence: Int64
}

/// Which undo codes of an account (`ActionCode.Purpose.undoing`) become void.
///
/// An undo code gives the account back to the reader of an earlier mailbox. After a theft that is the owner. It is an
/// attacker if the account was prepared for a victim: sign up, verify an own address, change it to the victim's
/// address, wait, undo (account pre-hijacking, "classic" and "trojan identifier"; security rule FE13). The two cases
/// differ in how the account got its present address:
/// - It had the address unverified, and the address is verified now: until now the account had no verified owner, and
///   earlier undo codes are void.
/// - The change itself verified the address (`verifyAndChangeEmail`, a linked address): the previous owner keeps the
///   undo code of this change, however often the new mailbox is verified afterwards.
enum UndoRevocation: Equatable, Sendable {
    /// The account's unverified address was verified: by a password reset, a verification, a sign-in by link or an
    /// administrator. Codes that were sent to other mailboxes are void.
    case mailboxVerified(EmailAddress)
    /// The code at this position restored the former address of the account. Codes of later changes are void. Those of
    /// earlier changes are not: an attacker who changes the address twice and reverts the second change must not void
    /// the owner's code.
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
        case .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition: break
        case .passwordReset, .emailSignIn, .verifyEmail, .verifyAndChangeEmail: return false
        }
        switch self {
        case .mailboxVerified(let email): return undo.code.email != email
        case .emailRecovered(let email, let sequence): return undo.code.email != email && undo.sequence > sequence
        }
    }
}

extension ActionCode.Purpose {
    /// Codes that revert a change.
    static let undoing: [Self] = [.recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition]
}
