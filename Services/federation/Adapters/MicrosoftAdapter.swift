import Contracts
import Crypto
import Vocabulary

/// Microsoft: personal accounts, and work accounts of any organization.
struct MicrosoftAdapter: ProviderAdapter {
    private static let server = "https://login.microsoftonline.com"

    var description: ProviderDescription {
        ProviderDescription(
            idTokens: IDTokenSource(
                issuer: .ofTenant(before: "\(Self.server)/", behind: "/v2.0"),
                keySetURL: "\(Self.server)/common/discovery/v2.0/keys", algorithms: [.rs256]),
            authorization: AuthorizationServer(
                authorizationURL: "\(Self.server)/common/oauth2/v2.0/authorize",
                tokenURL: "\(Self.server)/common/oauth2/v2.0/token", scopes: ["openid", "email", "profile"]))
    }

    /// An administrator of any Microsoft tenant can give a user any address, so that most addresses are not verified.
    /// Microsoft has verified those of personal accounts, and those that it marks with `xms_edov`.
    func email(_ claims: ProviderClaims) -> EmailAssertion {
        let isPersonal = claims.text("tid") == Self.personalTenant
        return EmailAssertion(claims.email, isVerified: isPersonal || claims.flag("xms_edov")) {
            isPersonal && Self.addressDomains.contains($0.domain)
        }
    }

    static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let addressDomains: Set<Substring> = ["outlook.com", "hotmail.com", "live.com", "msn.com"]
}
