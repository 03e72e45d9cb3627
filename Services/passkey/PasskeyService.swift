package import Bus
package import Contracts
package import DatabaseService
package import Vocabulary

/// Passkeys: the relying party of Web Authentication Level 3. The switch is the table of contents: one operation, one
/// handler.
///
/// Identity decides what an account may do and which passkeys it has. This service verifies the ceremonies.
package struct PasskeyService: PasskeyComponent {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: PasskeyStore
        package var peers: any BusRequestSending
        package var configurations: ProjectConfigurations
        /// The relying party of realms that configure none.
        package var defaults: RelyingPartyDefaults
        package var trust: AttestationTrust
        package var metrics: PasskeyMetrics
    }

    let dependencies: Dependencies

    private var enrollment: EnrollmentHandler { .init(dependencies: dependencies) }
    private var signIn: SignInHandler { .init(dependencies: dependencies) }
    private var imports: ImportHandler { .init(dependencies: dependencies) }

    package func handle(_ operation: Passkey.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startEnrollment: try await call.reply(with: enrollment.start)
        case .finishEnrollment: try await call.reply(with: enrollment.finish)
        case .startSignIn: try await call.reply(with: signIn.start)
        case .finishSignIn: try await call.reply(with: signIn.finish)
        case .describeRelyingParty: try await call.reply(with: describeRelyingParty)
        case .importCredentials: try await call.reply(with: imports.importCredentials)
        case .forgetAccounts: try await call.reply(with: forgetAccounts)
        }
    }

    private func forgetAccounts(_ request: Passkey.ForgetAccounts) async throws -> EmptyReply {
        try request.check()
        try await store.forget(request.accounts, in: request.realm)
        return EmptyReply()
    }

    private func describeRelyingParty(
        _ request: Passkey.DescribeRelyingParty, _ call: BusCall
    ) async throws -> Passkey.DescribeRelyingParty.Reply {
        let relyingParty = try await relyingParty(of: request.realm, call)
        let configuration = relyingParty.configuration
        return .init(
            relyingPartyID: relyingParty.id.rawValue, relatedOrigins: relyingParty.relatedOrigins,
            appleApps: configuration.appleApps ?? [], androidApps: configuration.androidApps ?? [],
            enrollURL: configuration.enrollUrl, manageURL: configuration.manageUrl)
    }
}
