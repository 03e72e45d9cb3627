import Bus
import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Fake identity and notifier: they reply, record the requests, and throw as the test configures them.
final class FakeMesh: Sendable {
    struct State {
        var configuration = ProjectConfiguration()
        /// Errors by operation, thrown instead of a reply, one after another.
        var refusals: [Identity.Operation: [any Error]] = [:]
        var notifierRefusal: (any Error)?
        var messages: [Notifier.SendSMS] = []
        /// The received operations, in order.
        var operations: [Identity.Operation] = []
        var checkedNumbers: [PhoneNumber?] = []
        var enrolled: [Identity.EnrollFactor] = []
        var completed: [Identity.CompleteSignIn] = []
        var signedIn: [Identity.SignInWithPhone] = []
        var refusedSignIns: [Identity.RecordRefusedSignIn] = []
        /// The number of effects, by key.
        var effects: [String: Int] = [:]
        var factors: [SecondFactor] = []
        /// The account of the number may not sign in with it.
        var hasUnsupportedNumber = false
    }

    let state = Mutex(State())
    static let accountID = AccountID("ada")

    private func record(_ operation: Identity.Operation) throws {
        let refusal: (any Error)? = state.withLock { state in
            state.operations.append(operation)
            guard let refusals = state.refusals[operation], let first = refusals.first else { return nil }
            state.refusals[operation] = Array(refusals.dropFirst())
            return first
        }
        if let refusal { throw refusal }
    }

    private func took(_ options: CallOptions) {
        state.withLock { $0.effects[options.idempotencyKey ?? "none", default: 0] += 1 }
    }

    /// An ID token or pending credential `ada` belongs to the account ada; `ada@t` belongs to her account in tenant t.
    private func principal(_ token: Secret<String>?, _ project: ProjectID) throws -> Principal {
        let words = (token?.reveal() ?? "").split(separator: "@").map(String.init)
        guard let name = words.first else { throw ServiceError(.missingIDToken) }
        return Principal(
            accountID: AccountID(name),
            realm: Realm(project: project, tenant: words.dropFirst().first.map { TenantID($0) }),
            issuedAt: .init(seconds: 0), authenticatedAt: .init(seconds: 0), signInProvider: "password")
    }

    static let tokens = TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600)

    static func account(_ id: AccountID = accountID, _ realm: Realm = Realm(project: ProjectID("p"))) -> Account {
        Account(id: id, realm: realm, validSince: .init(seconds: 0), createdAt: Moment(milliseconds: 0))
    }

    func enroll(_ request: Identity.EnrollFactor, _ options: CallOptions) throws -> Identity.EnrollFactor.Reply {
        try record(.enrollFactor)
        state.withLock { $0.enrolled.append(request) }
        took(options)
        return .init(account: Self.account(), tokens: Self.tokens)
    }

    var peers: ScriptedMesh {
        let mesh = ScriptedMesh(as: .mfaSMS)
        mesh.reply(to: Identity.ResolveConfiguration.self) { [self] _, _ in
            try record(.resolveConfiguration)
            return .init(
                configuration: state.withLock(\.configuration), projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: Identity.CheckPhoneSignIn.self) { [self] request, _ in
            try record(.checkPhoneSignIn)
            // Only a known session may receive a number.
            if let idToken = request.idToken { _ = try principal(idToken, request.realm.project) }
            if request.concealsAccount != true, state.withLock(\.hasUnsupportedNumber) {
                throw ServiceError(.unsupportedFirstFactor)
            }
            return EmptyReply()
        }
        mesh.reply(to: Identity.SignInWithPhone.self) { [self] request, options in
            try record(.signInWithPhone)
            state.withLock { $0.signedIn.append(request) }
            took(options)
            return .init(
                session: .init(
                    account: Self.account(AccountID("of phone"), request.realm), tokens: Self.tokens,
                    isNewAccount: true))
        }
        mesh.reply(to: Identity.CheckEnrollment.self) { [self] request, _ in
            try record(.checkEnrollment)
            guard case .phone(let number) = request.factor else { throw ServiceError(.invalidRequest) }
            state.withLock { $0.checkedNumbers.append(number) }
            guard number != nil else { throw ServiceError(.invalidPhoneNumber) }
            let principal = try principal(request.idToken, request.realm.project)
            return .init(
                account: Self.account(principal.accountID, principal.realm), principal: principal,
                verification: .phone, applicationName: "Flower Shop")
        }
        mesh.reply(to: Identity.EnrollFactor.self) { [self] request, options in try enroll(request, options) }
        mesh.reply(to: Identity.ResolvePendingSignIn.self) { [self] request, _ in
            try record(.resolvePendingSignIn)
            let principal = try principal(request.pendingCredential, request.project)
            return .init(
                accountID: principal.accountID, realm: principal.realm, factors: state.withLock(\.factors),
                startedAt: Moment(milliseconds: 0), verification: .phone)
        }
        mesh.reply(to: Identity.CompleteSignIn.self) { [self] request, options in
            try record(.completeSignIn)
            state.withLock { $0.completed.append(request) }
            took(options)
            return .init(account: Self.account(), tokens: Self.tokens)
        }
        mesh.reply(to: Identity.RecordRefusedSignIn.self) { [self] request, _ in
            try record(.recordRefusedSignIn)
            state.withLock { $0.refusedSignIns.append(request) }
            return EmptyReply()
        }
        mesh.reply(to: Notifier.SendSMS.self) { [self] request, _ in
            let refusal = state.withLock { state in
                state.messages.append(request)
                return state.notifierRefusal
            }
            if let refusal { throw refusal }
            return .init(messageID: MessageID("m"))
        }
        mesh.reply(to: Notifier.SendPush.self) { _, _ in .init(messageID: MessageID("p")) }
        return mesh
    }
}
