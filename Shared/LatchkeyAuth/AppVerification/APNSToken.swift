import Foundation

/// The environment of a token of the Apple Push Notification service.
public enum AuthAPNSTokenType: Int, Hashable, Sendable {
    /// The library reads the environment from the provisioning profile of the application.
    case unknown
    /// Applications that Xcode has installed.
    case sandbox
    /// Applications of the App Store and of TestFlight.
    case prod
}

/// A token of the Apple Push Notification service.
struct APNSToken: Hashable, Sendable {
    var bytes: Data
    var type: AuthAPNSTokenType

    /// Upper-case hexadecimal digits, as `accounts:verifyIosClient` requires them.
    var text: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// - Parameter profile: `embedded.mobileprovision` of the application; nil for applications of the App Store and of
    ///   TestFlight, which have none.
    func isSandbox(profile: Data?) -> Bool {
        switch type {
        case .sandbox: true
        case .prod: false
        case .unknown: profile.map(Self.isDevelopment) ?? false
        }
    }

    /// The profile is signed data around a property list; the entitlement is readable text in it.
    private static func isDevelopment(_ profile: Data) -> Bool {
        guard let key = profile.range(of: Data("<key>aps-environment</key>".utf8)),
            let start = profile[key.upperBound...].range(of: Data("<string>".utf8)),
            let end = profile[start.upperBound...].range(of: Data("</string>".utf8))
        else { return false }
        return profile[start.upperBound..<end.lowerBound] == Data("development".utf8)
    }
}
