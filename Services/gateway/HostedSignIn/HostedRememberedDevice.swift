import Contracts
import HTTPServer
import Pages
import Vocabulary

/// Devices that are not asked for the second factor. A cookie has their secrets, one for each account that the user asked to
/// remember here; identity decides whether one of them stands in for the factor.
extension HostedSignInPages {
    /// The name of the box at the second step.
    static let rememberField = "remember"

    /// Completes a pending sign-in on a remembered device.
    /// - Returns: nil where the user is asked for the second factor.
    static func signInOnRememberedDevice(
        _ visit: HostedVisit, _ pending: PendingSecondFactor
    ) async -> Identity.SignInWithRememberedDevice.Reply? {
        let secrets = visit.deviceSecrets
        guard visit.mayRememberDevice, !secrets.isEmpty else { return nil }
        do {
            return try await visit.call.send(
                Identity.SignInWithRememberedDevice(
                    project: visit.realm.project, tenant: visit.realm.tenant,
                    pendingCredential: pending.pendingCredential, secrets: secrets, client: visit.client),
                timeout: Call.signInTimeout)
        } catch let error as ServiceError where error.code == .secondFactorRequired {
            return nil
        } catch {
            // The second factor remains a way to sign in.
            visit.call.gateway.dependencies.report(error, visit.call.trace)
            return nil
        }
    }

    /// Remembers the device of a user who has just shown a second factor.
    /// - Returns: the header fields that store its secret; none where it is not remembered.
    static func rememberDevice(_ visit: HostedVisit, _ tokens: TokenSet) async -> [(name: String, value: String)] {
        guard visit.mayRememberDevice else { return [] }
        do {
            let reply = try await visit.call.send(
                Identity.RememberDevice(
                    realm: visit.realm, idToken: tokens.idToken, formerSecrets: visit.deviceSecrets,
                    client: visit.client))
            return [visit.field(storingDevice: reply.secret)]
        } catch {
            // The user is signed in, and is asked again the next time.
            visit.call.gateway.dependencies.report(error, visit.call.trace)
            return []
        }
    }
}

extension HostedVisit {
    /// Secrets are base64url.
    private static let separator: Unicode.Scalar = "~"
    private static let secondsPerDay = 86_400

    /// An operation that demands the second factor itself is neither helped by a remembered device nor a reason to remember one.
    var mayRememberDevice: Bool { configuration.rememberedDeviceDays > 0 && flow.isStepUp != true }

    var deviceSecrets: [Secret<String>] {
        (cookie(.devices).value(in: call.request.headers)?.pieces(at: Self.separator) ?? [])
            .prefix(Identity.RememberDevice.maximumSecrets).map { Secret(String($0)) }
    }

    /// Keeps the secrets of other accounts. Those that are void by now expire with the cookie.
    fileprivate func field(storingDevice secret: Secret<String>) -> (name: String, value: String) {
        let secrets = ([secret] + deviceSecrets).prefix(Identity.RememberDevice.maximumSecrets).map { $0.reveal() }
        return cookie(.devices).field(
            secrets.joined(separator: String(Self.separator)),
            seconds: configuration.rememberedDeviceDays * Self.secondsPerDay)
    }
}

extension HostedSecondStepView {
    /// The box that remembers the device.
    func rememberBox(isChecked: Bool) -> HTML? {
        guard visit.mayRememberDevice else { return nil }
        let texts = visit.allTexts.rememberedDevices
        let checked: HTML? = isChecked ? #" checked="checked""# : nil
        let label = texts.remember(visit.configuration.rememberedDeviceDays)
        return """
            <label class="check"><input type="checkbox" name="\(HostedSignInPages.rememberField)" value="1"\
            \(checked) aria-describedby="remember-hint" /><span>\(label)</span></label>
            <p class="hint" id="remember-hint">\(texts.hint)</p>
            """
    }
}
