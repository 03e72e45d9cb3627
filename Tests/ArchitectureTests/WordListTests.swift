import Testing

/// Names that the glossary replaced. Each had a standard synonym, so a reader had to learn two words for one concept.
struct WordListTests {
    private static let types = """
        APNsKeyFault APNsTokens Abortion AdministratorRight AppCheck AppCheckChallenge AppCheckDevice \
        AppCheckMigrations AppCheckNetwork AppCheckProof AppCheckSettings AskIdentity AttemptLanes AttemptOutcome \
        AuditFault AuditVerification BackupDraft BackupFailure BackupFolder BackupSeal BoundedCache BrokerFailure \
        BusNotice CStrings CallOutcome CheckedActionSettings CodeCounters CodeOrder CommonSettings ConnectionRefusal \
        CopyFault Courier CourierState Couriers CurlHandles DatabaseNote DeliveryCounters DeliveryProblem \
        DemandAppCredential DeviceBody DeviceReply DialledNumber Doubt DownloadBody DownloadReply EmailTemplateFault \
        Errand EventFeed FactorChoice FailedGuesses FirstFactor FirstFactorResult FrameFault GrantAccessToken \
        HTTPBodyText HTTPRefusal HintFeed IDTokens IdentityUpkeep IncomingMessage JSONFault Judgement KeyRing \
        KeysFailure LauncherFailure LinkSignIn LinkedElsewhere LinkedSignIn ListenerCheck ListenerFailure MFASMSUpkeep \
        MailForm MasterKeyFault MasterKeyPlace MasterKeyRingFault MasterKeyUse MasterKeys MetricsBoard Neighbours \
        NoSuchField NotifierUpkeep NumberRange NumberTakenMeanwhile OAuthFault OTPAuthFault OnceOnly OpenedByToken \
        PassingFailure PasswordDemands PasswordRequirement PercentText PhoneAttempt PhoneNumberFault PlaceFault \
        PostgresLink PostgresRefusal PostgresURLFault ProcessEnd ProgramFailure ProposedSend ProvedNumber \
        ProvedPassword ProviderBreaker ProviderLadder ProviderReceipt RangeRecord RateClass Reachability \
        ReadDeliveries ReadInbox ReadSending ReadSigningKeys RealmNaming RealmOfQuery RecaptchaAnswer RecaptchaJudge \
        RecordedBefore RecoverySignIn ReplyTooLong RequestParams ResendLadder ResolveAccessToken ResolvePrincipal \
        RunningPart RuntimeFailure SMSOutcome SMSReceipts SMTPFailure SMTPServerFault SMTPStop SealedRecordsFault \
        SealingUpkeep SendLimits SendSignInCode SendingCounters SendingEntry SendingLedger SendingQuota SendingRules \
        SendingTally SendingTrip ServiceAccountFailure ServiceAccountFileFault ServiceAccountTokens SessionFacts \
        SettingsFault SettingsFaults ShutDown StartDeviceCheck StartFailure StatusWord StopListeners \
        StoppedWhileStarting StorageFailure StoreReplaced StoreWatch TOTPGauges TOTPOwner TOTPUpkeep TemplatesFailure \
        TenantIDTaken TokenSession Trouble UnknownApp UnreadableRow UnsettableEnum UsageFailure UsedFactor Verdict \
        WireAddress ZeroMQDraft
        """
    private static let members = """
        abandonCalls abandonRequests administratorsField administratorsOnly announceChange anotherMasterKey \
        appCheckCount appCheckKey asksForHelp attemptsUntilClosed badFraming badSubject besideThisOne blankAccount \
        briefMessage briefServer budgetSpent cachedStatements callProvider cannotSend checkStanding checkUnavailable \
        closedUntil comparisonInterval condemnLate continueNumbering countAppCheck countOutOfRange demandAppCredential \
        demandPhoneAsFirstFactor demandRecentSignIn demandsPolicyAtSignIn developersOnly disabledAccount \
        dispatchedAgain doubted drainedBytes dropUnproven endUnawaitedBatch endingWithSessions expireCalls \
        failuresInARow fallAsleep findUnnamed finishUntil firstClosing firstComparison firstFactorWithoutSecond \
        foreignBrokers foreignBytes foreignForm foreignMessage foreignPeers foreignPeersRemembered foreignProtocol \
        foreignRoutingID forgetGuesses forgetLadder forgetRecoveryAttempts freeForgottenPlaces freeWorker goOnStopping \
        grantAccessToken guessScopes hangUpLate healthyLife hidesRegisteredEmails hidesUnknown identityPatience \
        innocent invalidPage isCondemned isIdentitysWord isLookWaiting isNewRange isOnlyCounting isRepeatable \
        isSendable isSentOnce isServerTrouble isStanding isStoreTrouble isSwitchedOn lanesLimit lastWorkerAt \
        laterFormat launcherGone learnNames learnedAt letsIn linkTo liveBrokers lockOutWriters locksOut longestAttempt \
        longestClosing longestMaximum longestPatience lookAtFile lookRegularly lookedAt lostReplies markAnswered \
        maximumTries mayBeSentAgain messagePauses mintCookie missingBearer namelessFactor namelessGreeting \
        newEmailUnverified newRangesDay newRangesHour newRangesPercent notAuthentic notDisabled notNumeric noteSignIn \
        noteStanding noteVerified notedPlace notifierPatience numberKindBlocked numberKinds onlyReading onlyReads \
        openUnnamed otherHistory passwordDemands patience perNumberInAll perRangeInDay perRangeInHour prefixClosed \
        provedBy purgeTenants readLadder readLedger readTallies readableActionCodes receiptTime recess \
        refuseAdministratorsFields refuseCoreDumps refuseForeignApplications refuseForeignType regionRefusal \
        remembersIDs removeFolder reportDeath retireCodes retiredByUse revertFactor schemaMoved secondFactorNeeded \
        secondFactorOff secondFactorsOff sendLimitReached serverPauses serverTrouble setProvider setTrouble \
        settleEndings settlingPauses shortestMinimum shortestPassword signInTooOld spendRetry spentBudget spentPerson \
        spentRange standIn startDeviceCheck stopAdmitting stoppedLate strayReplies sweepAppCheck takeBackSent \
        takenAddress takesCredentials tallyQuery tellRevoked thaw tooManyGuesses tooManyMembers tooManyTries \
        totpWindow transactionLost triedReady troubleName unfitNumber unknownPath unlessSpoilt unnamedKey unservable \
        unsignedReceipt untilClosed untilReplaced unwritableNote usualKinds usualPrice verdict verdictGrace vouchedFor \
        waitingLimit wakeCouriers wakeUpDone withoutEndSlashes workersLost workersLostPerRequest writeInRead \
        wrongClient wrongPassword
        """

    /// Names of Firebase Authentication, which applications expect in the client library.
    private static let publicNames: Set = ["wrongPassword"]
    private static let clientLibrary = ["Shared/LatchkeyAuth/", "Tests/LatchkeyAuthTests/", "Tests/GuideTests/"]

    @Test func replacedNamesAreAbsent() throws {
        let allReplaced = Set((Self.types + " " + Self.members).split(separator: " ").map(String.init))
        for file in try SourceTree().files where Self.mentions(allReplaced, in: file) {
            let isClientLibrary = Self.clientLibrary.contains { file.path.hasPrefix($0) }
            let replaced = isClientLibrary ? allReplaced.subtracting(Self.publicNames) : allReplaced
            for token in SourceTokens(file.lines.joined(separator: "\n")).tokens where replaced.contains(token.text) {
                Issue.record("\(file):\(token.line) uses \(token.text); docs/glossary.md has the term for it")
            }
        }
    }

    /// A fast check before the tokens are compared. It is also true for a name in a comment or a text.
    private static func mentions(_ names: Set<String>, in file: SourceTree.File) -> Bool {
        file.lines.contains { line in
            line.utf8.split { !SourceTokens.isNameByte($0) }.contains { names.contains(String($0) ?? "") }
        }
    }
}
