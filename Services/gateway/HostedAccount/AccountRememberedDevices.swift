import Contracts
import Pages

/// The devices of an account that are not asked for the second factor, on the account page.
extension AccountPages {
    /// The name of the button that forgets one.
    static let rememberedField = "remembered"
}

extension AccountVisit {
    /// None where the project remembers no device.
    func rememberedDevices() async throws -> [Identity.RememberedDevice] {
        guard visit.configuration.rememberedDeviceDays > 0 else { return [] }
        return try await call.send(
            Identity.ListRememberedDevices(realm: visit.realm, idToken: session.tokens.idToken)
        ).devices
    }

    func forgetDevice(_ id: String) async throws {
        _ = try await call.send(
            Identity.ForgetRememberedDevice(
                realm: visit.realm, idToken: session.tokens.idToken, id: id, client: visit.client))
    }
}

extension AccountView {
    func rememberedPanel(_ devices: [Identity.RememberedDevice]) -> HTML? {
        guard !devices.isEmpty else { return nil }
        let remembered = visit.visit.allTexts.rememberedDevices
        let rows = devices.map { device in
            HTML.row(
                .shield, "<bdi>\(device.device ?? texts.unknownDevice)</bdi>",
                about: "\(lastUse(device.lastUsedAt)) · \(remembered.until(date(device.expiresAt)))",
                actions: [
                    form(
                        AccountPages.devicesPath,
                        .button(remembered.forget, .quiet, item: (AccountPages.rememberedField, device.id)))
                ])
        }
        return .panel(remembered.list, [sentence(remembered.about)] + rows)
    }
}
