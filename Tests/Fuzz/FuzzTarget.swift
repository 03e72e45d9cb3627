import FoundationEssentials
import UserFiles
import Vocabulary

/// What reads external bytes, and runs that bytes decide. `make fuzz` runs each with random input, `make test` with its
/// corpus. The raw value is the name of the corpus folder.
enum FuzzTarget: String, CaseIterable {
    case frames, json, cbor, phones, password, assertion, query, filter, time
    case certificate, asn1, tpm, metadata, logo
    case emailAddress = "email-address"
    case refreshToken = "refresh-token"
    case pendingCredential = "pending-credential"
    case sessionCookie = "session-cookie"
    case idToken = "id-token"
    case customToken = "custom-token"
    case blockingFunction = "blocking-function"
    case actionLink = "action-link"
    case continueURL = "continue-url"
    case requestHead = "request-head"
    case fieldMask = "field-mask"
    case pageToken = "page-token"
    case emailHeader = "mail-header"
    case providerReply = "provider-reply"
    case identityProvider = "identity-provider"
    case samlResponse = "saml-response"
    case postBody = "post-body"
    case signInPage = "sign-in-page"
    case attestationObject = "attestation-object"
    case authenticatorData = "authenticator-data"
    case clientData = "client-data"
    case coseKey = "cose-key"
    case userJSON = "user-json"
    case userCSV = "user-csv"
    case userLines = "user-lines"
    case passwordHash = "password-hash"
    case hashParameters = "hash-parameters"
    case verifiedToken = "verified-token"
    case keySet = "key-set"
    case deviceToken = "device-token"
    case gameCenter = "game-center"
    case appVerification = "app-verification"
    case factorSession = "factor-session"
    case emailTemplate = "mail-template"
    case environmentFile = "environment-file"
    case backupManifest = "backup-manifest"
    case masterKeys = "master-keys"
    case brokerInput = "broker-input"
    case peerTable = "peer-table"
    case handshake, connection
    case listener
    case httpResponse = "http-response"
    case smtpReply = "smtp-reply"
    case accounts

    /// A target that takes a moment for some inputs: the tests read its corpus, and no prefixes.
    var isSlow: Bool { self == .accounts || self == .listener }

    /// Reads an input. A trap in a parser ends the process.
    /// - Throws: `BrokenPromise` if an accepted input violates a property.
    func read(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        switch self {
        case .frames: try Self.readFrames(input)
        case .json: try Self.readJSON(Data(input))
        case .phones: try Self.readPhoneNumber(text)
        case .emailAddress: try Self.readEmailAddress(text)
        case .refreshToken: try Self.readRefreshToken(text)
        case .pendingCredential: try Self.readPendingCredential(text)
        case .sessionCookie: Self.readSessionCookie(text)
        case .idToken: Self.readIDToken(text)
        case .customToken: Self.readCustomToken(text)
        case .assertion: Self.readAssertion(text)
        case .blockingFunction: try Self.readBlockingFunctionResponse(input)
        case .actionLink: Self.readActionLink(text)
        case .continueURL: try Self.readContinueURL(text)
        case .requestHead: Self.readRequestHead(text)
        case .query: try Self.readQuery(text)
        case .fieldMask: Self.readFieldMask(text)
        case .filter: Self.readFilter(text)
        case .pageToken: try Self.readPageToken(text)
        case .emailHeader: try Self.readEmailHeader(text)
        case .providerReply: Self.readProviderReply(text)
        case .identityProvider: try Self.readIdentityProvider(text)
        case .samlResponse: try Self.readSAMLResponse(input)
        case .postBody: try Self.readPostBody(text)
        case .signInPage: try Self.readSignInPage(text)
        case .time: Self.readTime(text)
        case .certificate: try Self.readCertificate(input)
        case .asn1: try Self.readASN1(input)
        case .tpm: try Self.readTPMStructures(input)
        case .metadata: try Self.readMetadata(input)
        case .logo: try Self.readLogo(input)
        case .cbor: try Self.readCBOR(input)
        case .attestationObject: try Self.readAttestationObject(input)
        case .authenticatorData: try Self.readAuthenticatorData(input)
        case .clientData: try Self.readClientData(input)
        case .coseKey: try Self.readCOSEKey(input)
        case .userJSON: try Self.readUserFile(input, .json)
        case .userCSV: try Self.readUserFile(input, .csv)
        case .userLines: try Self.readUserFile(input, .jsonl)
        case .password: try Self.readPassword(text)
        case .passwordHash: try Self.readPasswordHash(text)
        case .hashParameters: try Self.readHashParameters(text)
        case .verifiedToken: try Self.readVerifiedToken(input)
        case .keySet: Self.readKeySet(input)
        case .deviceToken: try Self.readDeviceToken(text)
        case .gameCenter: try Self.readGameCenter(text)
        case .appVerification: try Self.readAppVerification(text)
        case .factorSession: try Self.readFactorSession(text)
        case .emailTemplate: try Self.readEmailTemplate(text)
        case .environmentFile: try Self.readEnvironmentFile(input)
        case .backupManifest: try Self.readBackupManifest(text)
        case .masterKeys: try Self.readMasterKeys(text)
        case .brokerInput: try Self.readBrokerInput(input)
        case .peerTable: try Self.readPeerTable(input)
        case .handshake: try Self.readHandshake(input)
        case .connection: try Self.readConnection(input)
        case .listener: try Self.readListenerInput(input)
        case .httpResponse: try Self.readHTTPResponse(input)
        case .smtpReply: try Self.readSMTPReply(input)
        case .accounts: try Self.runAccounts(input)
        }
    }

    struct BrokenPromise: Error, CustomStringConvertible {
        let description: String
    }

    static func demand(_ holds: Bool, _ promise: String) throws {
        guard holds else { throw BrokenPromise(description: promise) }
    }

    static let now = Moment(milliseconds: 1_700_000_000_000)
    static let realm = Realm(project: ProjectID("demo"))
}
