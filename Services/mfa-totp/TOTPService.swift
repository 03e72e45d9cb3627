package import Bus
package import Contracts
package import Vocabulary

/// TOTP codes as second factor. The switch is the table of contents: one operation, one handler.
///
/// Identity decides what an account may do and which factors it has. This service verifies the codes.
package struct TOTPService: TOTPComponent {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: TOTPStore
        package var peers: any BusRequestSending
        package var metrics: TOTPMetrics
    }

    let dependencies: Dependencies

    private var enrollment: EnrollmentHandler { .init(dependencies: dependencies) }
    private var signIn: SignInHandler { .init(dependencies: dependencies) }
    private var imports: ImportHandler { .init(dependencies: dependencies) }

    package func handle(_ operation: MFATOTP.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startEnrollment: try await call.reply(with: enrollment.start)
        case .finishEnrollment: try await call.reply(with: enrollment.finish)
        case .finishSignIn: try await call.reply(with: signIn.finish)
        case .importFactors: try await call.reply(with: imports.importFactors)
        case .forgetAccounts: try await call.reply(with: forgetAccounts)
        case .readBlocks: try await call.reply(with: readBlocks)
        }
    }

    private func readBlocks(_ request: MFATOTP.ReadBlocks) async throws -> MFATOTP.ReadBlocks.Reply {
        let owner = TOTPAccountKey(realm: request.realm, accountID: request.accountID)
        let keys = request.factorIDs.prefix(MFATOTP.ReadBlocks.maximumCount).map { TOTPFactorKey(owner: owner, id: $0) }
        return .init(blocks: try await store.blocks(of: keys, at: now()))
    }

    private func forgetAccounts(_ request: MFATOTP.ForgetAccounts) async throws -> EmptyReply {
        try request.check()
        try await store.forget(request.accounts, in: request.realm)
        return EmptyReply()
    }
}

/// The service, or one of its handlers. It keeps the dependencies whole.
protocol TOTPComponent: Sendable {
    var dependencies: TOTPService.Dependencies { get }
}

extension TOTPComponent {
    var now: @Sendable () -> Moment { dependencies.now }
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] { dependencies.randomBytes }
    var store: TOTPStore { dependencies.store }
    var peers: any BusRequestSending { dependencies.peers }
}

extension SecondFactor.VerificationSettings {
    /// - Throws: `internal` if identity replied with the settings of another method.
    func totpWindowSteps() throws -> Int {
        guard case .totp(let windowSteps) = self else {
            throw ServiceError(.internal, "the reply breaks the contract")
        }
        return windowSteps
    }
}
