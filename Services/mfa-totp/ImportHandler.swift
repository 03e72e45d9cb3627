import Bus
import Contracts
import Vocabulary

/// Takes over the secrets of another system. Identity lists the factors afterwards, so no account has a factor without
/// a secret.
struct ImportHandler: TOTPComponent {
    let dependencies: TOTPService.Dependencies

    func importFactors(
        _ request: MFATOTP.ImportFactors, _ call: BusCall
    ) async throws -> MFATOTP.ImportFactors.Reply {
        guard request.factors.count <= MFATOTP.ImportFactors.maximumCount else {
            throw ServiceError(.invalidRequest, "at most \(MFATOTP.ImportFactors.maximumCount) factors")
        }
        let bounds = MFATOTP.ImportedFactor.secretByteCounts
        guard request.factors.allSatisfy({ bounds.contains($0.secret.reveal().bytes.count) }) else {
            throw ServiceError(.invalidRequest, "a secret has \(bounds.lowerBound) to \(bounds.upperBound) bytes")
        }
        return .init(
            keptIndices: try await store.insert(
                request.factors, in: request.realm, replacesSecrets: request.replacesSecrets, at: now()))
    }
}
